import { useEffect, useMemo, useState } from 'react';
import type { Option } from '../outline.ts';
import type { Access } from '../post.ts';
import type { PageOperations } from '../settings.ts';
import { useUnits } from '../units.ts';
import { AssetButton } from './asset-button.tsx';
import { type Completeness, completenessOf, expectedDates } from './completeness.ts';
import { ReadFailure } from './dataset-errors.tsx';
import { statisticsOperation } from './operation.ts';
import type { Recovery } from './recovery.ts';
import { loadStatistics, type MetricPoint, type Statistics } from './statistics.ts';
import { UnitField } from './unit-field.tsx';
import type { Days, Shown } from './view.ts';

interface StatisticsPanelProps {
  readonly access: Access;
  readonly recovery: Recovery;
  readonly datasetId: string;
  readonly operations: PageOperations;
  readonly shown: Shown;
  /** All assets of the dataset. */
  readonly assets: readonly Option[];
  /** Whether something else is read first. */
  readonly isWaiting: boolean;
  /** Called with the asset whose line the user wants to see. */
  readonly onAsset: (assetId: string) => void;
  /** Called when the statistics have come, or have failed. */
  readonly onEnd: () => void;
}

type StatisticsState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ready'; readonly found: Statistics };

/** The statistics of each chosen metric, of the chosen assets together, in the time that is shown. */
export function StatisticsPanel(props: StatisticsPanelProps) {
  const { access, recovery, datasetId, operations, shown, assets, isWaiting, onAsset, onEnd } = props;
  const [state, setState] = useState<StatisticsState>({ kind: 'loading' });
  const { query, variables } = statisticsOperation(datasetId, shown, operations);
  useEffect(() => {
    if (isWaiting) return;
    const controller = new AbortController();
    const { signal } = controller;
    setState({ kind: 'loading' });
    const enter = (end: StatisticsState) => {
      if (signal.aborted) return;
      setState(end);
      onEnd();
    };
    loadStatistics(access, { query, variables }, signal).then(
      (found) => enter({ kind: 'ready', found }),
      (error: unknown) => enter({ kind: 'failed', error }),
    );
    return () => controller.abort();
  }, [access, query, variables, isWaiting, onEnd]);
  const chosen = assets.filter(({ id }) => shown.assetIds.includes(id));
  return (
    <section className="dataset-statistics" aria-labelledby="statistics">
      <h2 id="statistics">
        {whoseText(chosen, assets.length)}, {rangeText(shown.days)}
      </h2>
      {state.kind === 'loading' && <p role="status">Computing the statistics …</p>}
      {state.kind === 'failed' && <ReadFailure error={state.error} recovery={recovery} />}
      {state.kind === 'ready' && (
        <StatisticsTable
          {...{ datasetId, assets, onAsset }}
          found={state.found}
          count={chosen.length || assets.length}
        />
      )}
    </section>
  );
}

interface StatisticsTableProps {
  readonly found: Statistics;
  readonly datasetId: string;
  readonly assets: readonly Option[];
  /** The number of assets that the statistics are of. */
  readonly count: number;
  readonly onAsset: (assetId: string) => void;
}

function StatisticsTable({ found, datasetId, assets, count: assetCount, onAsset }: StatisticsTableProps) {
  const { statistics, byDate } = found;
  const [units, setUnit] = useUnits(datasetId);
  const dates = useMemo(() => byDate && expectedDates(byDate.dates), [byDate]) ?? undefined;
  if (statistics.every(({ count }) => count === 0)) return <p>There are no values in this time.</p>;
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
          {statistics.map((metric) => {
            const { name, count, mean, standardDeviation, minimum, maximum } = metric;
            return (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>
                  <UnitField metric={name} unit={units.get(name) ?? ''} onUnit={(unit) => setUnit(name, unit)} />
                </td>
                <td>{count.toLocaleString('en')}</td>
                <CompletenessCell {...completenessOf(metric, found, assetCount, dates)} />
                <td>{numberText(mean)}</td>
                <td>{numberText(standardDeviation)}</td>
                <PointCells point={minimum} {...{ assets, onAsset }} />
                <PointCells point={maximum} {...{ assets, onAsset }} />
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}

/** The share of the expected values that are there. Only what is complete has 100 %. */
function CompletenessCell({ count, expected, text }: Completeness) {
  const percent = Number(((count / expected) * 100).toFixed(1));
  return (
    <td>
      {expected === 0 ? '–' : `${count === expected ? 100 : Math.min(99.9, percent)} %`}
      <div>{text}</div>
    </td>
  );
}

interface PointCellsProps {
  readonly point: MetricPoint | null;
  readonly assets: readonly Option[];
  readonly onAsset: (assetId: string) => void;
}

/** A value, its date, and its asset, whose line a click shows. */
function PointCells({ point, assets, onAsset }: PointCellsProps) {
  const id = point?.assetId;
  return (
    <>
      <td>{numberText(point?.value ?? null)}</td>
      <td>
        {dateText(point?.valueDate ?? null)}
        {id !== undefined && assets.length > 1 && (
          <div>
            <AssetButton id={id} name={assets.find((asset) => asset.id === id)?.name ?? id} onAsset={onAsset} />
          </div>
        )}
      </td>
    </>
  );
}

/** Whose statistics they are: without a choice all assets'. */
function whoseText(chosen: readonly Option[], total: number): string {
  const [first] = chosen;
  if (first === undefined || chosen.length === total) return 'All assets';
  return chosen.length === 1 ? first.name : `${chosen.length} of ${total} assets`;
}

function rangeText({ from, to }: Days): string {
  if (from === '' && to === '') return 'whole time';
  if (from === '') return `until ${to}`;
  return to === '' ? `from ${from}` : `${from} to ${to}`;
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
