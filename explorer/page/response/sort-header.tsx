import type { ReactNode } from 'react';
import type { Sort } from './sort.ts';

/** The name of a column, which sorts the rows: upwards, downwards, and not at all. */
export function SortHeader<Column>(props: {
  name: string;
  column: Column;
  hasNumbers: boolean;
  sort: Sort<Column> | undefined;
  onSort: (sort: Sort<Column> | undefined) => void;
  /** What else is in the header. */
  children?: ReactNode;
}) {
  const { name, column, hasNumbers, sort, onSort, children } = props;
  const direction = sort?.column !== column ? 'none' : sort.isDescending ? 'descending' : 'ascending';
  const next = {
    none: { column, isDescending: false },
    ascending: { column, isDescending: true },
    descending: undefined,
  };
  return (
    <th scope="col" aria-label={name} aria-sort={direction} className={hasNumbers ? 'response-numbers' : undefined}>
      <button type="button" title={name} onClick={() => onSort(next[direction])}>
        {name}
        <span aria-hidden="true">{{ none: '', ascending: ' ▲', descending: ' ▼' }[direction]}</span>
      </button>
      {children}
    </th>
  );
}
