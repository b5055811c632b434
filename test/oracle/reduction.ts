/**
 * The rows of `columns(points:)`, as its description in schema.graphql says: plainly, and one rule after the other.
 */

const NS_PER_MS = 1_000_000n;

/** Rows by date, from one on to another one (exclusive). */
type Group = readonly [start: number, end: number];

/**
 * @param dates the date of each row in nanoseconds. Undefined if it is absent or cannot be read
 * @param columns the metrics, each with a value for each row. Null for none
 * @returns the indices of the chosen rows, in the order of the response
 */
export function reducedRows(
  dates: readonly (bigint | undefined)[],
  columns: readonly (readonly (number | null)[])[],
  points: number,
): number[] {
  const isDated = dates.every((date) => date !== undefined);
  const order = dates.map((_, row) => row);
  if (isDated) order.sort((one, other) => compare(dates[one] as bigint, dates[other] as bigint) || one - other);
  if (points >= order.length) return order;
  // From here on, rows are counted by date. Without dates, the number of a row is its time.
  const times = order.map((row, at) => (isDated ? floor(dates[row] as bigint, NS_PER_MS) : BigInt(at)));
  const metrics = columns.map((values) => order.map((row) => values[row] ?? null));
  const end = isDated ? (times.at(-1) as bigint) : BigInt(order.length);
  const groups = split(equalGroups(times, end, metrics.length, points), times, metrics.length, points);
  const chosen = new Set<number>();
  for (const at of wanted(groups, times, metrics)) if (at !== undefined && chosen.size < points) chosen.add(at);
  const others = times.map((_, at) => at).filter((at) => !chosen.has(at));
  const left = points - chosen.size;
  for (let part = 0; part < left; part += 1)
    chosen.add(others[Math.floor(((2 * part + 1) * others.length) / (2 * left))] as number);
  return [...chosen].toSorted((one, other) => one - other).map((at) => order[at] as number);
}

/** Groups of equal time; those without rows are left out. */
function equalGroups(times: readonly bigint[], end: bigint, metrics: number, points: number): Group[] {
  const first = times[0] as bigint;
  const count = BigInt(Math.max(1, Math.floor(points / (2 + 2 * metrics))));
  const groupOf = (time: bigint) => {
    const group = end === first ? 0n : ((time - first) * count) / (end - first);
    return group === count ? count - 1n : group;
  };
  const starts = times.flatMap((time, at) =>
    at === 0 || groupOf(time) > groupOf(times[at - 1] as bigint) ? [at] : [],
  );
  return starts.map((start, index) => [start, starts[index + 1] ?? times.length]);
}

/** Cuts the fullest group as long as the points suffice. */
function split(groups: readonly Group[], times: readonly bigint[], metrics: number, points: number): Group[] {
  const used = (all: readonly Group[]) =>
    all.reduce((sum, [start, end]) => sum + Math.min(end - start, 2 + 2 * metrics), 0);
  let current = [...groups];
  for (;;) {
    const [fullest] = current
      .filter(([start, end]) => end - start > 2 + 2 * metrics && times[start] !== times[end - 1])
      .toSorted((one, other) => other[1] - other[0] - (one[1] - one[0]) || one[0] - other[0]);
    if (fullest === undefined) return current;
    const [start, end] = fullest;
    const sum = (times[start] as bigint) + (times[end - 1] as bigint);
    const middle = times.findIndex((time, at) => at >= start && 2n * time >= sum);
    const next = current.flatMap((group): Group[] =>
      group === fullest
        ? [
            [start, middle],
            [middle, end],
          ]
        : [group],
    );
    if (used(next) > points) return current;
    current = next;
  }
}

/** The rows to choose, the most important first. */
function* wanted(
  groups: readonly Group[],
  times: readonly bigint[],
  metrics: readonly (readonly (number | null)[])[],
): Generator<number | undefined> {
  const all: Group = [0, times.length];
  yield 0;
  yield times.length - 1;
  for (const values of metrics) yield* extremes(values, all);
  for (const values of metrics) {
    yield indexOrNone(values.findIndex((value) => value !== null));
    yield indexOrNone(values.findLastIndex((value) => value !== null));
  }
  const allGaps = metrics.map(gapsOf);
  for (const gaps of allGaps) {
    yield longest(gaps, ([start, end]) => timeOf([start, end], times))?.[0];
    yield longest(gaps, ([start, end]) => BigInt(end - start))?.[0];
  }
  for (const group of groups) for (const values of metrics) yield* extremes(values, group);
  for (const [start, end] of groups) yield* [start, end - 1];
  const ofGroups = groups.flatMap(([from, to]) =>
    allGaps.map((gaps) => {
      const own = gaps.filter(([start]) => start >= from && start < to);
      return longest(own, (gap) => timeOf(gap, times));
    }),
  );
  yield* ofGroups
    .filter((gap) => gap !== undefined)
    .toSorted((one, other) => compare(timeOf(other, times), timeOf(one, times)) || one[0] - other[0])
    .map(([start]) => start);
}

/** The first row with the lowest value of a group, and with the highest. */
function extremes(values: readonly (number | null)[], [start, end]: Group): (number | undefined)[] {
  const group = values.slice(start, end);
  const rows = group.flatMap((value, index) => (value === null ? [] : [{ value, at: start + index }]));
  const byValue = rows.toSorted((one, other) => one.value - other.value || one.at - other.at);
  const highest = byValue.at(-1)?.value;
  return [byValue[0]?.at, byValue.find(({ value }) => value === highest)?.at];
}

/** The rows without a value between two with one. */
function gapsOf(values: readonly (number | null)[]): Group[] {
  const withValue = values.flatMap((value, at) => (value === null ? [] : [at]));
  const pairs = withValue.slice(1).map((end, index): Group => [(withValue[index] as number) + 1, end]);
  return pairs.filter(([start, end]) => start < end);
}

/** From the value before a gap to the one behind. */
function timeOf([start, end]: Group, times: readonly bigint[]): bigint {
  return (times[end] as bigint) - (times[start - 1] as bigint);
}

/** The first of the longest ones. */
function longest(gaps: readonly Group[], lengthOf: (gap: Group) => bigint): Group | undefined {
  return gaps.toSorted((one, other) => compare(lengthOf(other), lengthOf(one)))[0];
}

const indexOrNone = (index: number) => (index < 0 ? undefined : index);
const compare = (one: bigint, other: bigint) => (one < other ? -1 : one > other ? 1 : 0);

/** A quotient, rounded down. */
function floor(value: bigint, unit: bigint): bigint {
  return value / unit - (value % unit < 0n ? 1n : 0n);
}
