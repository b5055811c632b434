import { useId, useMemo, useRef } from 'react';
import { containsText } from '../text-filter.ts';
import { dateText } from './date-text.ts';
import type { PlaceChoice, PlaceColumn } from './place-choice.ts';
import type { Sort } from './sort.ts';
import { SortHeader } from './sort-header.tsx';
import { outlierMark, outlierSide } from './value-colour.ts';
import { valueText } from './value-text.ts';
import { RowsAway, useVisibleRows } from './visible-rows.tsx';
import type { DatasetSummary, PlaceValues } from './worker/protocol.ts';

const ROW_HEIGHT = 30;

/** The places on the map with their values: at first from the highest to the lowest. A name shows the place's line. */
export function PlaceTable(props: {
  dataset: DatasetSummary;
  metric: number;
  found: PlaceValues;
  choice: PlaceChoice;
  onChoice: (choice: PlaceChoice) => void;
  onPlace: (place: number) => void;
}) {
  const { dataset, metric, found, choice, onChoice, onPlace } = props;
  const { values, dates } = found;
  const { filter, sort } = choice;
  const shown = useMemo(() => matching(dataset, filter), [dataset, filter]);
  const order = useMemo(() => ordered(shown, dataset, found, sort), [shown, dataset, found, sort]);
  const filterId = useId();
  const scroller = useRef<HTMLElement>(null);
  const visible = useVisibleRows(scroller, order.length, ROW_HEIGHT);
  const header = { sort, onSort: (next: typeof sort) => onChoice({ ...choice, sort: next }) };
  return (
    <div className="response-places">
      <div className="response-tools">
        <output className="response-count">
          {order.length === values.length ? `${order.length} places` : `${order.length} of ${values.length} places`}
        </output>
        <label htmlFor={filterId}>Filter places</label>
        <input
          id={filterId}
          type="search"
          value={filter}
          onChange={(event) => onChoice({ ...choice, filter: event.target.value })}
          placeholder="name or id"
          spellCheck={false}
        />
      </div>
      <section
        ref={scroller}
        className="response-scroller"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
        tabIndex={0}
        aria-label="Values on the map"
      >
        <table aria-rowcount={order.length + 1}>
          <thead>
            <tr aria-rowindex={1}>
              <SortHeader name="Asset" column="asset" hasNumbers={false} {...header} />
              <SortHeader name={dataset.labels[metric] ?? ''} column="value" hasNumbers {...header} />
              <SortHeader name="Date" column="date" hasNumbers={false} {...header} />
            </tr>
          </thead>
          <tbody>
            <RowsAway height={visible.above} columns={3} />
            {visible.indexes.map((index) => {
              const place = order[index] ?? 0;
              const { label = '', assets = [] } = dataset.places[place] ?? {};
              const value = values[place] ?? Number.NaN;
              const side = outlierSide(found, value);
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
                    {side !== 0 && `${outlierMark(side)} `}
                    {valueText(value)}
                  </td>
                  <td>{Number.isNaN(value) ? '' : dateText(dataset, dates[place] ?? 0)}</td>
                </tr>
              );
            })}
            <RowsAway height={visible.below} columns={3} />
          </tbody>
        </table>
      </section>
    </div>
  );
}

/** The places whose name or id contains a text, as indexes. */
function matching({ places, assets: all }: DatasetSummary, filter: string): number[] {
  return [...places.entries()].flatMap(([place, { label, assets }]) =>
    containsText(filter, label, ...assets.map((asset) => all[asset]?.id)) ? [place] : [],
  );
}

/** Places in the order of a column, those without a value at the end. */
function ordered(
  shown: readonly number[],
  { places }: DatasetSummary,
  { values, dates }: PlaceValues,
  sort: Sort<PlaceColumn> | undefined,
): readonly number[] {
  if (sort === undefined) return shown;
  const at = (numbers: Float64Array, place: number) => numbers[place] ?? Number.NaN;
  const isMissing = (place: number) => Number(Number.isNaN(at(values, place)));
  const compare = {
    asset: (a: number, b: number) => names.compare(places[a]?.label ?? '', places[b]?.label ?? ''),
    value: (a: number, b: number) => at(values, a) - at(values, b),
    date: (a: number, b: number) => at(dates, a) - at(dates, b),
  }[sort.column];
  const direction = sort.isDescending ? -1 : 1;
  return shown.toSorted((a, b) => isMissing(a) - isMissing(b) || direction * compare(a, b));
}

/** Names in the order of people: 9 comes before 10. */
const names = new Intl.Collator('en', { numeric: true });
