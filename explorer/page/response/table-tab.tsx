import { useEffect, useId, useMemo, useRef, useState } from 'react';
import { LEADING_COLUMNS } from '../../../src/core/csv-field.ts';
import { ColumnHeader } from './column-header.tsx';
import { columnNames } from './column-names.ts';
import { useColumnWidths } from './column-widths.ts';
import { headingOf } from './heading.ts';
import type { TableChoice } from './pane-view.ts';
import { queryResponse } from './response-client.ts';
import { fileTitle, saveFile } from './save.ts';
import { useQuery } from './use-query.ts';
import { valueText } from './value-text.ts';
import { RowsAway, useVisibleRows } from './visible-rows.tsx';
import type { DatasetSummary, TableView } from './worker/protocol.ts';

const ROW_HEIGHT = 26;
/** The rows that are fetched at a time. */
const PAGE = 100;
/** Browsers show no element that is higher than 33 million pixels. */
const MAX_ROWS = 1_000_000;

/** The rows of one dataset: sorted by a click on a column, filtered by asset, and saved as CSV as they are shown. */
export function TableTab({
  responseId,
  index,
  dataset,
  table,
  onTable,
}: {
  responseId: number;
  index: number;
  dataset: DatasetSummary;
  table: TableChoice;
  onTable: (table: TableChoice) => void;
}) {
  const { filter, sort } = table;
  const view = useMemo((): TableView => {
    const column = sort === undefined ? -1 : columnNames(dataset).indexOf(sort.column);
    return {
      dataset: index,
      filter,
      ...(column >= 0 && { sort: { column, isDescending: sort?.isDescending === true } }),
    };
  }, [index, dataset, filter, sort]);
  const onSort = (next: TableView['sort']) => {
    const column = columnNames(dataset)[next?.column ?? -1];
    onTable({ filter, ...(next && column !== undefined && { sort: { column, isDescending: next.isDescending } }) });
  };
  const key = JSON.stringify(view);
  const { result, error } = useQuery(key, async () => ({
    key,
    count: await queryResponse(responseId, 'countRows', view),
  }));
  const count = result?.count ?? 0;
  const filterId = useId();
  return (
    <>
      <div className="response-tools">
        <output className="response-count">
          {count === dataset.rowCount ? `${count} rows` : `${count} of ${dataset.rowCount} rows`}
        </output>
        {dataset.assets.length > 1 && (
          <>
            <label htmlFor={filterId}>Filter assets</label>
            <input
              id={filterId}
              type="search"
              value={filter}
              onChange={(event) => onTable({ ...table, filter: event.target.value })}
              placeholder="name or id"
              spellCheck={false}
            />
          </>
        )}
        <span className="response-space" />
        <button
          type="button"
          aria-label="Save as CSV"
          onClick={async () =>
            saveFile(fileTitle(dataset, 'table'), 'csv', await queryResponse(responseId, 'csv', view))
          }
        >
          CSV
        </button>
      </div>
      {error !== undefined && <p role="alert">{error}</p>}
      {count > MAX_ROWS && <p className="response-hint">The table shows the first million rows. The CSV has all.</p>}
      <Rows
        responseId={responseId}
        index={index}
        view={view}
        viewKey={result?.key ?? ''}
        count={count}
        dataset={dataset}
        onSort={onSort}
      />
    </>
  );
}

function Rows(props: {
  responseId: number;
  index: number;
  view: TableView;
  /** The view whose count is known. */
  viewKey: string;
  count: number;
  dataset: DatasetSummary;
  onSort: (sort: TableView['sort']) => void;
}) {
  const { responseId, index, view, viewKey, count, dataset, onSort } = props;
  const scroller = useRef<HTMLElement>(null);
  const widths = useColumnWidths(responseId, index, dataset, scroller);
  const { indexes, above, below } = useVisibleRows(scroller, Math.min(count, MAX_ROWS), ROW_HEIGHT);
  const rows = usePages(responseId, view, viewKey, indexes.at(0) ?? 0, indexes.at(-1) ?? 0);
  // Without the columns that are empty because their fields were not selected. The CSV has them.
  const columns = [
    ...dataset.leading.map((column) => ({ column, name: LEADING_COLUMNS[column] ?? '' })),
    ...dataset.labels.map((name, metric) => ({ column: LEADING_COLUMNS.length + metric, name })),
  ];
  const width = columns.reduce((sum, { column }) => sum + widths.of(column), 0);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys scroll it
    <section ref={scroller} className="response-scroller" tabIndex={0} aria-label="Rows">
      <table aria-label={headingOf(dataset)} aria-rowcount={count + 1} style={{ width }}>
        <colgroup>
          {columns.map(({ column }) => (
            <col key={column} style={{ width: widths.of(column) }} />
          ))}
        </colgroup>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map(({ name, column }) => (
              <ColumnHeader key={column} {...{ name, column, sort: view.sort, onSort, widths }} />
            ))}
          </tr>
        </thead>
        <tbody>
          <RowsAway height={above} columns={columns.length} />
          {indexes.map((index) => (
            <tr key={index} aria-rowindex={index + 2} style={{ height: ROW_HEIGHT }}>
              {columns.map(({ column }) => (
                <Cell key={column} column={column} text={rows(index)?.[column]} />
              ))}
            </tr>
          ))}
          <RowsAway height={below} columns={columns.length} />
        </tbody>
      </table>
    </section>
  );
}

/** A field of a row: a number with few digits. The title has the whole text; undefined until it is known. */
function Cell({ column, text }: { column: number; text: string | undefined }) {
  if (text === undefined) return <td>…</td>;
  if (column < LEADING_COLUMNS.length) return <td title={text}>{text}</td>;
  return (
    <td className="response-number" title={text}>
      {text === '' ? '' : valueText(Number(text))}
    </td>
  );
}

/** The pages of rows around those that are visible, fetched when they are needed. Returns what finds a row. */
function usePages(responseId: number, view: TableView, viewKey: string, first: number, last: number) {
  const [pages, setPages] = useState<{ key: string; byStart: ReadonlyMap<number, string[][]> }>({
    key: '',
    byStart: new Map(),
  });
  const [from, to] = [Math.floor(first / PAGE) * PAGE, Math.floor(last / PAGE) * PAGE];
  useEffect(() => {
    if (viewKey !== JSON.stringify(view)) return;
    let isCurrent = true;
    const starts = Array.from({ length: (to - from) / PAGE + 1 }, (_, page) => from + page * PAGE);
    Promise.all(
      starts.map(async (start) => [start, await queryResponse(responseId, 'rows', view, start, PAGE)] as const),
    ).then(
      (fetched) => isCurrent && setPages({ key: viewKey, byStart: new Map(fetched) }),
      () => {
        // The response was released: the pane shows another one.
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [responseId, view, viewKey, from, to]);
  return (index: number): string[] | undefined => {
    if (pages.key !== viewKey) return undefined;
    const start = Math.floor(index / PAGE) * PAGE;
    return pages.byStart.get(start)?.[index - start];
  };
}
