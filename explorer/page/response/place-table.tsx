import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { dateText } from './date-text.ts';
import { RowsAway } from './rows-away.tsx';
import { valueText } from './value-text.ts';
import type { DatasetSummary, PlaceValues } from './worker/protocol.ts';

const ROW_HEIGHT = 30;

/** The places on the map with their values, from the highest to the lowest. A name shows the place's line. */
export function PlaceTable(props: {
  dataset: DatasetSummary;
  metric: number;
  found: PlaceValues;
  onPlace: (place: number) => void;
}) {
  const { dataset, metric, found, onPlace } = props;
  const { values, dates } = found;
  const order = useMemo(() => {
    const at = (place: number) => values[place] ?? Number.NaN;
    const isMissing = (place: number) => Number(Number.isNaN(at(place)));
    return Array.from(values.keys()).sort((a, b) => isMissing(a) - isMissing(b) || at(b) - at(a));
  }, [values]);
  const scroller = useRef<HTMLElement>(null);
  const virtualizer = useVirtualizer({
    count: order.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 10,
  });
  const items = virtualizer.getVirtualItems();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
    <section ref={scroller} className="response-scroller response-places" tabIndex={0} aria-label="Values on the map">
      <table aria-rowcount={order.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Asset</th>
            <th scope="col" className="response-numbers">
              {dataset.labels[metric]}
            </th>
            <th scope="col">Date</th>
          </tr>
        </thead>
        <tbody>
          <RowsAway height={items.at(0)?.start ?? 0} columns={3} />
          {items.map(({ index }) => {
            const place = order[index] ?? 0;
            const { label = '', assets = [] } = dataset.places[place] ?? {};
            const value = values[place] ?? Number.NaN;
            return (
              <tr key={index} aria-rowindex={index + 2} style={{ height: ROW_HEIGHT }}>
                <th scope="row" title={label}>
                  {assets.length > 0 ? (
                    <button type="button" aria-label={`Show the line of ${label}`} onClick={() => onPlace(place)}>
                      {label}
                    </button>
                  ) : (
                    label
                  )}
                </th>
                <td className="response-number" title={String(value)}>
                  {valueText(value)}
                </td>
                <td>{Number.isNaN(value) ? '' : dateText(dataset, dates[place] ?? 0)}</td>
              </tr>
            );
          })}
          <RowsAway height={virtualizer.getTotalSize() - (items.at(-1)?.end ?? 0)} columns={3} />
        </tbody>
      </table>
    </section>
  );
}
