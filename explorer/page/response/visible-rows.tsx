import { useVirtualizer } from '@tanstack/react-virtual';
import type { RefObject } from 'react';

/**
 * The rows of a table that are visible where it scrolls, with some around them: only they are in the page.
 *
 * @param rowHeight that of each row, in pixels
 */
export function useVisibleRows(scroller: RefObject<HTMLElement | null>, count: number, rowHeight: number) {
  const virtualizer = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const indexes = virtualizer.getVirtualItems();
  const above = indexes.at(0)?.start ?? 0;
  const below = virtualizer.getTotalSize() - (indexes.at(-1)?.end ?? 0);
  return { indexes: indexes.map(({ index }) => index), above, below };
}

/** The space of rows of a table that are not in the page, because they are not visible. */
export function RowsAway({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr className="response-rows-away">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}
