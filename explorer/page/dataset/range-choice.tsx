import { useEffect, useId, useMemo, useState } from 'react';
import type { Outline } from '../outline.ts';
import { type CalendarRange, calendarRanges } from './calendar-ranges.ts';
import { type Days, type NamedRange, namedRanges, type View } from './view.ts';

const labels: Readonly<Record<NamedRange, string>> = {
  all: 'All',
  'last-30-days': 'Last 30 days',
  'last-year': 'Last year',
};

interface RangeChoiceProps {
  readonly outline: Outline;
  readonly range: View['range'];
  readonly onRange: (range: View['range']) => void;
}

/** Chooses a range of the data with a name, a year, a month, or its first and its last day. */
export function RangeChoice({ outline: { days }, range, onRange }: RangeChoiceProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const [first, last] = days;
  const { years, months } = useMemo(() => calendarRanges([first, last]), [first, last]);
  const calendar = [...years, ...months];
  const chosen =
    typeof range === 'string' ? range : calendar.find((one) => one.from === range.from && one.to === range.to)?.name;
  const isNamed = chosen !== undefined && !isOpen;
  // The ranges that end with the last day need to know it.
  const named = namedRanges.filter((name) => name === 'all' || days[1] !== '');
  return (
    <>
      <span className="dataset-field">
        <label htmlFor={id}>Time</label>
        <select
          id={id}
          value={isNamed ? chosen : 'days'}
          onChange={({ target: { value } }) => {
            setOpen(value === 'days');
            const found = calendar.find(({ name }) => name === value);
            if (found !== undefined) onRange({ from: found.from, to: found.to });
            else if (value !== 'days') onRange(value as NamedRange);
          }}
        >
          {named.map((name) => (
            <option key={name} value={name}>
              {labels[name]}
            </option>
          ))}
          <option value="days">Days …</option>
          <CalendarOptions label="Years" ranges={years} />
          <CalendarOptions label="Months" ranges={months} />
        </select>
      </span>
      {!isNamed && (
        <DayFields
          range={typeof range === 'string' ? { from: days[0], to: days[1] } : range}
          onRange={(chosen) => {
            setOpen(false);
            onRange(chosen);
          }}
        />
      )}
    </>
  );
}

function CalendarOptions({ label, ranges }: { label: string; ranges: readonly CalendarRange[] }) {
  if (ranges.length === 0) return null;
  return (
    <optgroup label={label}>
      {ranges.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </optgroup>
  );
}

/** The fields of the first and the last day. */
function DayFields({ range, onRange }: { range: Days; onRange: (range: View['range']) => void }) {
  const [{ from, to }, setDays] = useState(range);
  useEffect(() => setDays({ from: range.from, to: range.to }), [range.from, range.to]);
  const isWrong = from !== '' && to !== '' && from > to;
  return (
    <form
      className="dataset-range"
      aria-label="Days"
      onSubmit={(event) => {
        event.preventDefault();
        onRange(from === '' && to === '' ? 'all' : { from, to });
      }}
    >
      <label>
        From <input type="date" value={from} onChange={(event) => setDays({ from: event.target.value, to })} />
      </label>
      <label>
        To <input type="date" value={to} onChange={(event) => setDays({ from, to: event.target.value })} />
      </label>
      <button type="submit" disabled={isWrong}>
        Apply
      </button>
      {isWrong && <span role="alert">The first day must not be after the last day.</span>}
    </form>
  );
}
