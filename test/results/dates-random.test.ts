import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { startPair } from '../support/fast-path.ts';
import { Dice, escaped } from '../support/fast-path-json.ts';
import { DATASET_ID, postResults } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { instantNear, randomInstant, rowText, unreadable } from '../support/random-dates.ts';

/** How many bodies are tried. */
const CASES = randomCases(80);

/** A row: its date as JSON, and as a point in time; undefined if it is absent or null. Each has a value of its own. */
interface DatedRow {
  readonly json: string | undefined;
  readonly text: string | null;
  readonly instant: bigint | undefined;
  readonly value: number;
}

/** Rows near a point in time, of which few have another date or none. */
function rowsOf(count: number, value: number, dice: Dice): DatedRow[] {
  const [begin, odds] = [randomInstant(dice), dice.of([0, 0, 40, 6, 1])];
  const hasInvalid = dice.oneIn(2);
  const style = dice.below(4);
  const known: DatedRow[] = [];
  return Array.from({ length: count }, (_, row) => {
    if (odds > 0 && dice.oneIn(odds)) {
      const text = hasInvalid && dice.oneIn(2) ? dice.of(unreadable) : null;
      const json = text === null ? dice.of(['null', undefined]) : jsonOf(text, dice);
      return { json, text, instant: undefined, value: value + row };
    }
    // The same instant or text again, often.
    const before = known[dice.below(known.length + 1)];
    const instant = before?.instant !== undefined && dice.oneIn(3) ? before.instant : instantNear(begin, dice);
    const text =
      before?.text != null && dice.oneIn(6) ? before.text : rowText(instant, style === 0 ? new Dice(1) : dice);
    const at = text === before?.text ? before.instant : instant;
    const found = { json: jsonOf(text, dice), text, instant: at, value: value + row };
    known.push(found);
    return found;
  });
}

const jsonOf = (text: string, dice: Dice) => (dice.oneIn(12) ? escaped(text) : JSON.stringify(text));

const bodies = fc
  .tuple(fc.array(fc.tuple(fc.nat(20), fc.nat(25)), { minLength: 1, maxLength: 4 }), fc.nat())
  .map(([sizes, seed]) => {
    const dice = new Dice(seed);
    // Some have several batches of rows.
    const series: DatedRow[][] = [];
    for (const [index, [size, many]] of sizes.entries()) {
      const rows = rowsOf(many === 25 ? 520 + size : size, index * 10_000, dice);
      // Series often have the same dates.
      const before = index > 0 && dice.oneIn(2) ? series[index - 1] : undefined;
      series.push(before?.map((row) => ({ ...row, value: row.value + 10_000 })) ?? rows);
    }
    return series;
  });

/** The body. Values of another type make the rows be decoded. */
function bodyOf(series: readonly (readonly DatedRow[])[], dice: Dice): string {
  const asset = (rows: readonly DatedRow[], index: number) => {
    const results = rows.map(({ json, value }) => {
      const date = json === undefined ? '' : `"value_date":${json},`;
      return `{${date}"metrics":[{"name":"m","value":${value}}${dice.oneIn(200) ? ',{"name":"odd","value":"x"}' : ''}]}`;
    });
    return `{"asset_id":"a${index}","results":[${results.join()}]}`;
  };
  return `{"assets":[${series.map(asset).join()}]}`;
}

const document = `{ dataset(id: "${DATASET_ID}") { results {
  all: statistics(metrics: ["m"]) { ...ends }
  bands(metrics: ["m"], quantiles: []) { valueDates metrics { counts mins maxs } }
  series { nodes {
    latest { valueDate value(metric: "m") }
    statistics(metrics: ["m"]) { ...ends }
    periods(every: DAY, metrics: ["m"]) { starts metrics { counts mins maxs } }
  } }
} } }
fragment ends on MetricStatistics { count first last firstDate until: lastDate }`;

type Found = [path: string, message: string][];

/** Compares exactly. */
const byTime = (one: { instant: bigint }, other: { instant: bigint }) =>
  one.instant < other.instant ? -1 : one.instant > other.instant ? 1 : 0;

type Timed = DatedRow & { readonly instant: bigint };
const isTimed = (row: DatedRow): row is Timed => row.instant !== undefined;
const isUnreadable = ({ text, instant }: DatedRow) => text !== null && instant === undefined;

/** The first value and the last. Rows without a date are passed over if another has one. */
function endsOf(rows: readonly DatedRow[], path: string, nameOf: (row: DatedRow) => string, errors: Found) {
  const invalid = rows.find(isUnreadable);
  if (invalid !== undefined) {
    for (const key of ['first', 'last', 'firstDate', 'until'])
      errors.push([`${path}.0.${key}`, `${nameOf(invalid)} has a date that cannot be read.`]);
    return [{ count: rows.length, first: null, last: null, firstDate: null, until: null }];
  }
  const timed = rows.filter(isTimed);
  const inOrder: readonly DatedRow[] = timed.length === 0 ? rows : timed.toSorted(byTime);
  const [first, last] = [inOrder[0], inOrder.at(-1)];
  return [
    {
      count: rows.length,
      first: first?.value ?? null,
      last: last?.value ?? null,
      firstDate: first?.text ?? null,
      until: last?.text ?? null,
    },
  ];
}

const valuesOf = (rows: readonly DatedRow[]) => rows.map(({ value }) => value);

/** Columns of groups of rows. */
function columnsOf(groups: readonly (readonly DatedRow[])[]) {
  return [
    {
      counts: groups.map((group) => group.length),
      mins: groups.map((group) => (group.length === 0 ? null : Math.min(...valuesOf(group)))),
      maxs: groups.map((group) => (group.length === 0 ? null : Math.max(...valuesOf(group)))),
    },
  ];
}

function bandsOf(rows: readonly DatedRow[]) {
  const groups = [
    ...Map.groupBy(
      rows.filter(({ text }) => text !== null),
      ({ instant, text }) => instant ?? text,
    ),
  ];
  const firsts = groups.map(([, group]) => ({ group, first: group[0] as DatedRow }));
  const inOrder = rows.some(isUnreadable)
    ? firsts.toSorted((one, other) => (String(one.first.text) < String(other.first.text) ? -1 : 1))
    : firsts.toSorted((one, other) => byTime(one.first as Timed, other.first as Timed));
  return {
    valueDates: inOrder.map(({ first }) => first.text),
    metrics: columnsOf(inOrder.map(({ group }) => group)),
  };
}

const DAY = 86_400_000_000_000n;
const dayOf = ({ instant }: Timed) => Number(instant / DAY - (instant % DAY < 0n ? 1n : 0n));

function periodsOf(rows: readonly DatedRow[], path: string, errors: Found) {
  const odd = rows.findIndex((row) => !isTimed(row));
  if (odd >= 0) {
    const problem = rows[odd]?.text === null ? 'has no date.' : 'has a date that cannot be read.';
    errors.push([path, `row ${odd} ${problem}`]);
    return null;
  }
  const timed = rows.filter(isTimed);
  const days = timed.map(dayOf);
  const first = Math.min(...days);
  const all = timed.length === 0 ? [] : Array.from({ length: Math.max(...days) - first + 1 }, (_, day) => first + day);
  const groups = Map.groupBy(timed, dayOf);
  return {
    starts: all.map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10)),
    metrics: columnsOf(all.map((day) => groups.get(day) ?? [])),
  };
}

/** The first row of the latest date, or the last row if none has one. */
function latestOf(rows: readonly DatedRow[], path: string, errors: Found) {
  const odd = rows.findIndex(isUnreadable);
  if (odd >= 0) {
    errors.push([path, `row ${odd} has a date that cannot be read.`]);
    return null;
  }
  const last = rows.filter(isTimed).toSorted(byTime).at(-1);
  const row = last === undefined ? rows.at(-1) : rows.find(({ instant }) => instant === last.instant);
  return row === undefined ? null : { valueDate: row.text, value: row.value };
}

describe('3.45 Dates of rows', () => {
  it('are compared exactly, in all forms, positions and orders', {
    tags: ['random'],
    timeout: 60_000 + CASES * 1000,
  }, async () => {
    const pair = await startPair({ OPERATION_TIMEOUT_MS: '300000' });
    let body = '';
    pair.fast.simulator.intercept(() => ({ body }));
    await fc.assert(
      fc.asyncProperty(bodies, fc.nat(), async (series, seed) => {
        body = bodyOf(series, new Dice(seed));
        pair.fast.simulator.clear();
        const { fast, plain } = await pair.ask(document, {});
        expect(pair.fast.calls()).toEqual([postResults({}), postResults({})]);
        const expectedErrors: Found = [];
        const all = series.flat();
        const nameOf = (row: DatedRow) => {
          const index = series.findIndex((rows) => rows.includes(row));
          return `row ${series[index]?.indexOf(row)} of series ${index}`;
        };
        const at = 'dataset.results';
        const results = {
          all: endsOf(all, `${at}.all`, nameOf, expectedErrors),
          bands: bandsOf(all),
          series: {
            nodes: series.map((rows, index) => {
              const path = `${at}.series.nodes.${index}`;
              return {
                latest: latestOf(rows, `${path}.latest`, expectedErrors),
                statistics: endsOf(rows, `${path}.statistics`, (row) => `row ${rows.indexOf(row)}`, expectedErrors),
                periods: periodsOf(rows, `${path}.periods`, expectedErrors),
              };
            }),
          },
        };
        for (const { text } of [fast, plain]) {
          const { data, errors = [] } = JSON.parse(text);
          expect(data).toEqual({ dataset: { results } });
          const found = errors.map((error: { path: unknown[]; message: string; extensions: { code: string } }) => [
            error.path.join('.'),
            `${error.extensions.code} ${error.message}`,
          ]);
          const prefix = 'UPSTREAM_INVALID_RESPONSE The dataset service sent an invalid response: ';
          expect(found.toSorted()).toEqual(
            expectedErrors.map(([path, message]) => [path, `${prefix}${message}`]).toSorted(),
          );
        }
      }),
      { numRuns: CASES },
    );
  });
});
