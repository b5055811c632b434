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
        {dataset.labels.map((name, metric) => (
          <option key={name} value={metric}>
            {name}
          </option>
        ))}
        <option value="">nothing</option>
      </select>
      {choice.metric !== undefined && (
        <span className="response-date">
          {dates.length > 1 && (
            <>
              <label htmlFor={`${id}-date`}>Time</label>
              <input
                id={`${id}-date`}
                className="response-slider"
                type="range"
                min={0}
                max={dates.length - 1}
                value={choice.date}
                aria-valuetext={text}
                onChange={({ target: { value } }) => onChoice({ ...choice, date: Number(value) })}
              />
            </>
          )}
          <output htmlFor={`${id}-date`}>{text}</output>
        </span>
      )}
    </div>
  );
}
