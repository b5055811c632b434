import { useId } from 'react';
import type { Outline } from '../outline.ts';
import { WHOLE_TIME } from '../response/worker/dates.ts';
import { type PeriodUnit, periodUnits } from './period-unit.ts';
import { isTooShort, type PeriodShow, periodOf } from './periods.ts';
import type { Shown } from './view.ts';

interface PeriodChoiceProps {
  readonly show: PeriodShow;
  readonly shown: Shown;
  readonly outline: Outline;
  readonly onEvery: (every: PeriodUnit) => void;
}

/** Chooses of which periods a map, heat maps or histograms have values. */
export function PeriodChoice({ show, shown, outline, onEvery }: PeriodChoiceProps) {
  const id = useId();
  return (
    <span className="dataset-field">
      <label htmlFor={id}>Period</label>
      <select
        id={id}
        value={periodOf(show, shown, outline)}
        onChange={({ target }) => onEvery(target.value as PeriodUnit)}
      >
        {periodUnits.map((unit) => {
          const isOff = isTooShort(unit, show, shown, outline);
          return (
            <option key={unit} value={unit} disabled={isOff}>
              {unit === 'WHOLE' ? WHOLE_TIME : unit.toLowerCase()}
              {isOff && ' (too many values)'}
            </option>
          );
        })}
      </select>
    </span>
  );
}
