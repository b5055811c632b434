import { type KeyboardEvent, useEffect, useState } from 'react';
import { MAX_UNIT_LENGTH } from '../units.ts';

interface UnitFieldProps {
  readonly metric: string;
  /** Empty without a unit. */
  readonly unit: string;
  readonly onUnit: (unit: string) => void;
}

/** The field for the unit of a metric. Enter or leaving the field sets it, and Escape restores the one before. */
export function UnitField({ metric, unit, onUnit }: UnitFieldProps) {
  const [text, setText] = useState(unit);
  useEffect(() => setText(unit), [unit]);
  const set = () => {
    setText(text.trim());
    if (text.trim() !== unit) onUnit(text.trim());
  };
  const onKeyDown = ({ key }: KeyboardEvent) => {
    if (key === 'Enter') set();
    if (key === 'Escape') setText(unit);
  };
  return (
    <input
      className="dataset-unit"
      aria-label={`Unit of ${metric}`}
      title="Kept in this browser"
      placeholder="Add"
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={set}
      onKeyDown={onKeyDown}
      maxLength={MAX_UNIT_LENGTH}
      autoComplete="off"
      spellCheck={false}
    />
  );
}
