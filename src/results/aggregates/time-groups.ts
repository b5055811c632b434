import type { DateOrder } from './date-order.ts';

/** How many groups are made between two pauses. */
const GROUPS_PER_TIME_SLICE = 1024;

/** The rows from a position on to another one (exclusive). */
interface Group {
  readonly start: number;
  readonly end: number;
}

/**
 * Cuts rows into groups of equal time between the first date and the last. If groups have fewer rows than they may use, the
 * fullest group is cut in two at the middle between its own first and last date, and so on, as long as the limit allows it: so
 * the dense parts of a series use what the sparse ones leave.
 *
 * @param count the number of rows, at least 1
 * @param groups the number of groups at first. Those without rows are left out
 * @param rowsPerGroup the most rows that a group uses
 * @param limit the most rows that all groups may use together
 * @param begins at least as long as there are rows. It is overwritten: with 1 at the first position of each group
 * @returns the first position of each group, ascending, and behind them the number of rows
 */
export function* timeGroups(
  order: DateOrder,
  count: number,
  groups: number,
  rowsPerGroup: number,
  limit: number,
  begins: Uint8Array,
): Generator<void, readonly number[]> {
  begins.fill(0, 0, count);
  const fullest = new FullestFirst();
  let found = 0;
  let unused = limit;
  const add = (start: number, end: number): void => {
    begins[start] = 1;
    found += 1;
    unused -= Math.min(end - start, rowsPerGroup);
    if (end - start > rowsPerGroup) fullest.add({ start, end });
  };
  for (let start = 0; start < count; ) {
    const group = Math.floor((order.since(start) * groups) / order.span);
    // The last date belongs to the last group, and all rows to one group if there is one date.
    const end = group < groups - 1 ? order.positionSince(((group + 1) * order.span) / groups, start + 1, count) : count;
    add(start, end);
    start = end;
    if (found % GROUPS_PER_TIME_SLICE === 0) yield;
  }
  for (;;) {
    const group = fullest.take();
    if (group === undefined) break;
    const { start, end } = group;
    const from = order.since(start);
    const to = order.since(end - 1);
    if (from === to) continue;
    const middle = order.positionSince((from + to) / 2, start + 1, end);
    const growth = Math.min(middle - start, rowsPerGroup) + Math.min(end - middle, rowsPerGroup) - rowsPerGroup;
    if (growth > unused) break;
    found -= 1;
    unused += rowsPerGroup;
    add(start, middle);
    add(middle, end);
    if (found % GROUPS_PER_TIME_SLICE === 0) yield;
  }
  const starts: number[] = [];
  for (let position = 0; position >= 0 && position < count; position = begins.indexOf(1, position + 1)) {
    starts.push(position);
    if (starts.length % GROUPS_PER_TIME_SLICE === 0) yield;
  }
  starts.push(count);
  return starts;
}

/** Groups, of which that with the most rows is taken first, and the first one of those with as many. A binary heap. */
class FullestFirst {
  readonly #groups: Group[] = [];

  add(group: Group): void {
    const groups = this.#groups;
    let at = groups.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!isFuller(group, groups[parent] as Group)) break;
      groups[at] = groups[parent] as Group;
      at = parent;
    }
    groups[at] = group;
  }

  take(): Group | undefined {
    const groups = this.#groups;
    const fullest = groups[0];
    const last = groups.pop();
    if (last === undefined || groups.length === 0) return fullest;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= groups.length) break;
      if (child + 1 < groups.length && isFuller(groups[child + 1] as Group, groups[child] as Group)) child += 1;
      if (!isFuller(groups[child] as Group, last)) break;
      groups[at] = groups[child] as Group;
      at = child;
    }
    groups[at] = last;
    return fullest;
  }
}

function isFuller(one: Group, other: Group): boolean {
  const difference = one.end - one.start - (other.end - other.start);
  return difference > 0 || (difference === 0 && one.start < other.start);
}
