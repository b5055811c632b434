import { type Field, type Metric, type Row, WRONG } from './body.ts';
import { instantOf } from './dates.ts';
import { invalidRow, type Problem } from './rows.ts';

/**
 * `latest`: the row of the latest instant, or all of them joined. A row without a date is passed over while another has one. If none
 * has one, the last row received is the latest. A date that cannot be read is an error.
 */
export function latestOf(rows: readonly Row[]): Row | Problem | null {
  let latest: Row[] = [];
  let latestInstant: bigint | undefined;
  for (const [index, row] of rows.entries()) {
    if (row.date === null) continue;
    const instant = row.date === WRONG ? undefined : instantOf(row.date);
    if (instant === undefined)
      return invalidRow(
        index,
        row.date === WRONG ? 'has a date of a wrong type' : 'has a date that cannot be read',
        undefined,
      );
    if (latestInstant !== undefined && instant < latestInstant) continue;
    latest = instant === latestInstant ? [...latest, row] : [row];
    latestInstant = instant;
  }
  const [first, ...others] = latest;
  if (first === undefined) return rows.at(-1) ?? null;
  return others.length === 0 ? first : { date: first.date, metrics: joined([first, ...others]) };
}

const hasValue = ({ value, isNoNumber }: Metric) => value !== null && !isNoNumber;

/** The metrics of rows, each once: the first value of a metric wins, at the place where its name was first. */
function joined(rows: readonly Row[]): Field<readonly Metric[]> {
  const lists = rows.map(({ metrics }) => metrics);
  if (lists.every((list) => list === null)) return null;
  const metrics: Metric[] = [];
  for (const list of lists) {
    if (list === WRONG) return WRONG;
    const before = metrics.length;
    for (const metric of list ?? []) {
      const at =
        typeof metric.name !== 'string'
          ? -1
          : metrics.findIndex(({ name }, place) => place < before && name === metric.name);
      if (at < 0) metrics.push(metric);
      else if (!hasValue(metrics[at] as Metric) && hasValue(metric)) metrics[at] = metric;
    }
  }
  return metrics;
}
