import { useEffect, useId, useState } from 'react';
import type { Option } from '../outline.ts';
import { type NamedComparison, namedComparisons, otherDatasetIn, type View } from './view.ts';

const labels: Readonly<Record<NamedComparison, string>> = {
  years: 'Year over year',
  before: 'The days before',
  'year-before': 'The same days a year before',
};

interface CompareChoiceProps {
  readonly compare: View['compare'];
  /** The datasets to compare with. */
  readonly others: readonly Option[];
  readonly onCompare: (compare: View['compare']) => void;
}

/** Chooses what is compared with what is on the screen. */
export function CompareChoice({ compare, others, onCompare }: CompareChoiceProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const otherId = otherDatasetIn(compare ?? '');
  const isDay = compare !== undefined && otherId === undefined && namedComparisons.every((name) => name !== compare);
  const value = isOpen || isDay ? 'days' : (compare ?? '');
  const isUnknown = otherId !== undefined && others.every((other) => other.id !== otherId);
  const datasets = isUnknown ? [...others, { id: otherId, name: otherId }] : others;
  return (
    <>
      <span className="dataset-field">
        <label htmlFor={id}>Compare</label>
        <select
          id={id}
          value={value}
          onChange={({ target }) => {
            setOpen(target.value === 'days');
            if (target.value !== 'days') onCompare(target.value === '' ? undefined : target.value);
          }}
        >
          <option value="">Nothing</option>
          {namedComparisons.map((name) => (
            <option key={name} value={name}>
              {labels[name]}
            </option>
          ))}
          <option value="days">Earlier days …</option>
          {datasets.length > 0 && (
            <optgroup label="Another dataset">
              {datasets.map((other) => (
                <option key={other.id} value={`dataset:${other.id}`}>
                  {other.name}
                </option>
              ))}
            </optgroup>
          )}
        </select>
      </span>
      {value === 'days' && (
        <FirstDay
          day={isDay ? compare : ''}
          onDay={(day) => {
            setOpen(false);
            onCompare(day);
          }}
        />
      )}
    </>
  );
}

/** The field of the first one of the earlier days. There are as many as on the screen. */
function FirstDay({ day: chosen, onDay }: { day: string; onDay: (day: string) => void }) {
  const [day, setDay] = useState(chosen);
  useEffect(() => setDay(chosen), [chosen]);
  return (
    <form
      className="dataset-range"
      aria-label="Earlier days"
      onSubmit={(event) => {
        event.preventDefault();
        onDay(day);
      }}
    >
      <label>
        Starting <input type="date" required value={day} onChange={({ target }) => setDay(target.value)} />
      </label>
      <button type="submit">Compare</button>
    </form>
  );
}
