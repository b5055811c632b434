import './line-table.css';
import type { LineContent } from './line-content.ts';
import { styleOf } from './line-style.ts';
import type { Colours } from './theme.ts';
import { valueText } from './value-text.ts';

/** The columns for each metric. */
const columns = { min: 'Lowest', mean: 'Mean', max: 'Highest' } as const;
const names = Object.keys(columns) as (keyof typeof columns)[];

/** The lowest, the mean and the highest value of each line, for each metric. */
export function LineTable({ content, colours }: { content: LineContent; colours: Colours }) {
  const { dataset, metrics, lines, slots } = content;
  const lineOf = (asset: number, metric: number) =>
    lines.find((line) => line.asset === asset && line.metric === metric);
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
          {[...slots.keys()].map((asset) => {
            const { color, type, opacity } = styleOf(content, asset, colours);
            return (
              <tr key={asset}>
                <th scope="row" title={dataset.assets[asset]?.label}>
                  <span className="response-sample" style={{ borderTop: `3px ${type} ${color}`, opacity }} />
                  {dataset.assets[asset]?.label}
                </th>
                {metrics.flatMap((metric) =>
                  names.map((name) => {
                    const value = lineOf(asset, metric)?.statistics[name] ?? Number.NaN;
                    return <td key={`${metric} ${name}`}>{Number.isNaN(value) ? '–' : valueText(value)}</td>;
                  }),
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
