import { type KeyboardEvent, type PointerEvent, useRef } from 'react';
import { LEADING_COLUMNS } from '../../../src/core/csv-field.ts';
import { type ColumnWidths, MAX_WIDTH, MIN_WIDTH } from './column-widths.ts';
import { SortHeader } from './sort-header.tsx';
import type { TableView } from './worker/protocol.ts';

/** The pixels by which an arrow key changes the width of a column. */
const STEP = 16;

/** The name of a column, which sorts the rows, and its edge, which changes its width. */
export function ColumnHeader(props: {
  name: string;
  column: number;
  sort: TableView['sort'];
  onSort: (sort: TableView['sort']) => void;
  widths: ColumnWidths;
}) {
  const { name, column, sort, onSort, widths } = props;
  return (
    <SortHeader {...{ name, column, sort, onSort }} hasNumbers={column >= LEADING_COLUMNS.length}>
      <Edge {...{ name, column, widths }} />
    </SortHeader>
  );
}

/** The right edge of a column: dragging it or the arrow keys change the width, a double click or Enter fits it to the content. */
function Edge({ name, column, widths }: { name: string; column: number; widths: ColumnWidths }) {
  const width = widths.of(column);
  /** Where a drag began, and how wide the column was then. */
  const drag = useRef<{ x: number; width: number }>(undefined);
  const onPointerDown = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: event.clientX, width };
  };
  const onPointerMove = ({ clientX }: PointerEvent) => {
    if (drag.current) widths.set(column, drag.current.width + clientX - drag.current.x);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next: Record<string, number | undefined> = {
      ArrowRight: width + STEP,
      ArrowLeft: width - STEP,
      Enter: undefined,
    };
    if (!(event.key in next) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    widths.set(column, next[event.key]);
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a line between columns is no thematic break
    <div
      className="response-edge"
      role="separator"
      aria-orientation="vertical"
      aria-label={`Width of ${name}`}
      aria-valuenow={Math.round(width)}
      aria-valuemin={MIN_WIDTH}
      aria-valuemax={MAX_WIDTH}
      tabIndex={0}
      onPointerDown={onPointerDown}
      onPointerMove={onPointerMove}
      onPointerUp={() => {
        drag.current = undefined;
      }}
      onDoubleClick={() => widths.set(column, undefined)}
      onKeyDown={onKeyDown}
    />
  );
}
