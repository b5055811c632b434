import './line-table.css';
import { memo, useDeferredValue, useMemo } from 'react';
import type { LineContent } from './line-content.ts';
import { LineSample } from './line-sample.tsx';
import { type LineStyle, styleOf } from './line-style.ts';
import type { Colours } from './theme.ts';
import { valueText } from './value-text.ts';
import type { LineStatistics } from './worker/protocol.ts';

/** The columns for each metric. */
const columns = { min: 'Lowest', mean: 'Mean', max: 'Highest' } as const;
const names = Object.keys(columns) as (keyof typeof columns)[];

/** The lowest, the mean and the highest value of each line but previews, for each metric. It is made after the charts, which a zoom moves. */
export function LineTable({ content, colours }: { content: LineContent; colours: Colours }) {
  return <Table content={useDeferredValue(content)} colours={colours} />;
}

const Table = memo(({ content, colours }: { content: LineContent; colours: Colours }) => {
  const { dataset, metrics, lines, slots } = content;
  const linesOf = useMemo(() => Map.groupBy(lines, ({ asset }) => asset), [lines]);
  const assets = [...slots.keys()].filter((asset) => !dataset.assets[asset]?.isPreview);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls
    <section className="response-line-table" tabIndex={0} aria-label="Lowest, mean and highest value of each line">
      <table>
        <thead>
          <tr>
            <td rowSpan={2} />
            {metrics.map((metric) => (
              <th key={metric} scope="colgroup" colSpan={names.length}>
                {dataset.labels[metric]}
              </th>
            ))}
          </tr>
          <tr>
            {metrics.flatMap((metric) =>
              names.map((name) => (
                <th key={`${metric} ${name}`} scope="col">
                  {columns[name]}
                </th>
              )),
            )}
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => {
            const own = linesOf.get(asset);
            return (
              <Row
                key={asset}
                label={dataset.assets[asset]?.label ?? ''}
                style={styleOf(content, asset, colours)}
                statistics={metrics.map((metric) => own?.find((line) => line.metric === metric)?.statistics)}
              />
            );
          })}
        </tbody>
      </table>
    </section>
  );
});

interface RowProps {
  readonly label: string;
  readonly style: LineStyle;
  /** Those of each metric. */
  readonly statistics: readonly (LineStatistics | undefined)[];
}

function Row({ label, style, statistics }: RowProps) {
  return (
    <tr>
      <th scope="row" title={label}>
        <LineSample style={style} />
        {label}
      </th>
      {statistics.flatMap((own, metric) =>
        names.map((name) => {
          const value = own?.[name] ?? Number.NaN;
          // biome-ignore lint/suspicious/noArrayIndexKey: a column is its position
          return <td key={`${metric} ${name}`}>{Number.isNaN(value) ? '–' : valueText(value)}</td>;
        }),
      )}
    </tr>
  );
}
