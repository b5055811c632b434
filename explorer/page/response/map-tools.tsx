import { useId } from 'react';
import { dateText } from './date-text.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** What the map shows: the values of a metric at a date, or the places alone. */
export interface MapChoice {
  /** The index of the metric; undefined: the places alone. */
  readonly metric: number | undefined;
  /** The index of the date, upwards. */
  readonly date: number;
}

/** What a map shows, in words that a link can have. */
export interface MapWords {
  /** The name of the metric; empty: the places alone. Undefined: the first metric. */
  readonly metric?: string | undefined;
  /** Undefined: the last date. */
  readonly date?: string | undefined;
}

/** The choice that words name. A metric or a date that there is not is that of the map without words. */
export function choiceOf({ metric, date }: MapWords, dataset: DatasetSummary, dates: Float64Array): MapChoice {
  const [found, at] = [dataset.metrics.indexOf(metric ?? ''), dates.findIndex((x) => dateText(dataset, x) === date)];
  const hasValues = metric !== '' && dataset.metrics.length > 0 && dates.length > 0;
  return { metric: hasValues ? Math.max(0, found) : undefined, date: at === -1 ? Math.max(0, dates.length - 1) : at };
}

/** The words for a choice. */
export function wordsOf({ metric, date }: MapChoice, dataset: DatasetSummary, dates: Float64Array): MapWords {
  return { metric: dataset.metrics[metric ?? -1] ?? '', date: dateText(dataset, dates[date] ?? 0) };
}

/** The choice of the metric and the date whose values the map shows. */
export function MapTools(props: {
  dataset: DatasetSummary;
  /** The x of all dates, upwards. */
  dates: Float64Array;
  choice: MapChoice;
  onChoice: (choice: MapChoice) => void;
}) {
  const { dataset, dates, choice, onChoice } = props;
  const id = useId();
  const text = dateText(dataset, dates[choice.date] ?? 0);
  return (
    <div className="response-tools">
      <label htmlFor={`${id}-metric`}>Colour by</label>
      <select
        id={`${id}-metric`}
        value={choice.metric ?? ''}
        onChange={({ target: { value } }) => onChoice({ ...choice, metric: value === '' ? undefined : Number(value) })}
      >
        {dataset.metrics.map((name, metric) => (
          <option key={name} value={metric}>
            {name}
          </option>
        ))}
        <option value="">nothing</option>
      </select>
      {choice.metric !== undefined && (
        <>
          <label htmlFor={`${id}-date`}>Time</label>
          <input
            id={`${id}-date`}
            className="response-slider"
            type="range"
            min={0}
            max={Math.max(0, dates.length - 1)}
            value={choice.date}
            aria-valuetext={text}
            onChange={({ target: { value } }) => onChoice({ ...choice, date: Number(value) })}
          />
          <output htmlFor={`${id}-date`}>{text}</output>
        </>
      )}
    </div>
  );
}
