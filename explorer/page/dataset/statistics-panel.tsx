import { useEffect, useState } from 'react';
import type { Option } from '../outline.ts';
import type { Access } from '../post.ts';
import type { PageOperations } from '../settings.ts';
import { useUnits } from '../units.ts';
import { statisticsOperation } from './operation.ts';
import { loadStatistics, type MetricPoint, type MetricStatistics } from './statistics.ts';
import { UnitField } from './unit-field.tsx';
import type { Days } from './view.ts';

interface StatisticsPanelProps {
  readonly access: Access;
  readonly datasetId: string;
  readonly operations: PageOperations;
  readonly days: Days;
  readonly assets: readonly Option[];
  /** Whether something else is read first. */
  readonly isWaiting: boolean;
}

type StatisticsState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'ready'; readonly statistics: readonly MetricStatistics[] };

/** The statistics of each metric of all assets, in the time that is shown. */
export function StatisticsPanel({ access, datasetId, operations, days, assets, isWaiting }: StatisticsPanelProps) {
  const [state, setState] = useState<StatisticsState>({ kind: 'loading' });
  const { from, to } = days;
  useEffect(() => {
    if (isWaiting) return;
    const controller = new AbortController();
    const { signal } = controller;
    setState({ kind: 'loading' });
    loadStatistics(access, statisticsOperation(datasetId, { from, to }, operations), signal).then(
      (statistics) => !signal.aborted && setState({ kind: 'ready', statistics }),
      (error: unknown) =>
        !signal.aborted &&
        setState({ kind: 'failed', message: error instanceof Error ? error.message : String(error) }),
    );
    return () => controller.abort();
  }, [access, datasetId, operations, from, to, isWaiting]);
  return (
    <section className="dataset-statistics" aria-labelledby="statistics">
      <h2 id="statistics">All assets, {rangeText(days)}</h2>
      {state.kind === 'loading' && <p role="status">Computing the statistics …</p>}
      {state.kind === 'failed' && <p role="alert">There are no statistics. {state.message}</p>}
      {state.kind === 'ready' && <StatisticsTable statistics={state.statistics} {...{ datasetId, assets }} />}
    </section>
  );
}

interface StatisticsTableProps {
  readonly statistics: readonly MetricStatistics[];
  readonly datasetId: string;
  readonly assets: readonly Option[];
}

function StatisticsTable({ statistics, datasetId, assets }: StatisticsTableProps) {
  const [units, setUnit] = useUnits(datasetId);
  if (statistics.length === 0) return <p>There are no values in this time.</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls on a narrow screen
    <section className="dataset-table" tabIndex={0} aria-label="Statistics of each metric">
      <table>
        <thead>
          <tr>
            {['Metric', 'Unit', 'Values', 'Complete', 'Mean', 'Std. dev.', 'Lowest', 'on', 'Highest', 'on'].map(
              (title, column) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: two columns have the same title
                <th key={column} scope="col">
                  {title}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {statistics.map(({ name, count, nullCount, mean, standardDeviation, minimum, maximum }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td>
                <UnitField metric={name} unit={units.get(name) ?? ''} onUnit={(unit) => setUnit(name, unit)} />
              </td>
              <td>{count.toLocaleString('en')}</td>
              <td>{completeness(count, nullCount)}</td>
              <td>{numberText(mean)}</td>
              <td>{numberText(standardDeviation)}</td>
              <PointCells point={minimum} assets={assets} />
              <PointCells point={maximum} assets={assets} />
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A value, its date, and which of several assets has it. */
function PointCells({ point, assets }: { point: MetricPoint | null; assets: readonly Option[] }) {
  const asset = assets.find(({ id }) => id === point?.assetId);
  return (
    <>
      <td>{numberText(point?.value ?? null)}</td>
      <td>
        {dateText(point?.valueDate ?? null)}
        {point !== null && assets.length > 1 && <div>{asset?.name ?? point.assetId}</div>}
      </td>
    </>
  );
}

function rangeText({ from, to }: Days): string {
  if (from === '' && to === '') return 'whole time';
  if (from === '') return `until ${to}`;
  return to === '' ? `from ${from}` : `${from} to ${to}`;
}

/** The share of the rows that have a value. Only what is complete has 100 %. */
function completeness(count: number, nullCount: number): string {
  if (count + nullCount === 0) return '–';
  const percent = (count / (count + nullCount)) * 100;
  return `${nullCount === 0 ? 100 : Math.min(99.9, Number(percent.toFixed(1)))} %`;
}

/** A number with five digits; a large one as an integer. */
function numberText(value: number | null): string {
  if (value === null) return '–';
  const size = Math.abs(value);
  if (size !== 0 && (size < 0.0001 || size >= 1e9)) return value.toExponential(3);
  if (size >= 100_000) return Math.round(value).toLocaleString('en');
  return value.toLocaleString('en', { maximumSignificantDigits: 5 });
}

/** A date without a time of day that is midnight. */
function dateText(date: string | null): string {
  return date?.replace(/T00:00(:00(\.0+)?)?(Z|\+00:00)?$/, '') ?? '–';
}
