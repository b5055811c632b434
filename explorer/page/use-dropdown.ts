import { type FocusEvent, type KeyboardEvent, type RefObject, useRef } from 'react';

/** What makes a `details` element a dropdown. */
export interface Dropdown {
  readonly ref: RefObject<HTMLDetailsElement | null>;
  readonly onBlur: (event: FocusEvent) => void;
  readonly onKeyDown: (event: KeyboardEvent) => void;
}

/** The properties of a dropdown: it closes when the focus leaves it, and with Escape, which returns the focus to its summary. */
export function useDropdown(): Dropdown {
  const ref = useRef<HTMLDetailsElement>(null);
  const close = () => {
    if (ref.current !== null) ref.current.open = false;
  };
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (relatedTarget !== null && !ref.current?.contains(relatedTarget as Node)) close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Escape' || !ref.current?.open) return;
    event.preventDefault();
    close();
    ref.current.querySelector('summary')?.focus();
  };
  return { ref, onBlur, onKeyDown };
}
