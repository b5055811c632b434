/**
 * The longest steps: node engine/bench/steps.ts [--only TEXT]
 *
 * Reads bodies that are as bad as they may be, with as many fields as a document may have, and prints the longest call of `push`, `work`
 * and `take`, by the CPU time of the thread: in the first run, and the least of two later ones; and the CPU time of all.
 * --only measures those with this text in their title. The exit code is 1 if one takes more than 50 ms but in the first run.
 */
import { parseArgs } from 'node:util';
import { type Asked, BodyError, open, Selection } from '../index.ts';
import { aliases, fieldsOf, type Short } from '../test/fields.ts';
import { inPieces } from '../test/read.ts';

const MAX_STEP_MS = 50;
const RUNS = 3;
/** As a socket has them, and as `drive` cuts them. */
const PIECES = [1 << 16, 1 << 18];
/** The bound of one operation. */
const WORK = 268_435_456;

const list = <T>(length: number, of: (index: number) => T) => Array.from({ length }, (_, index) => of(index));

/** A row of about so many bytes. */
const rowOf = (bytes: number, metric: (index: number) => string) => {
  const each = metric(9999).length + 1;
  const metrics = list(Math.floor((bytes - 60) / each), metric).join();
  return `{"value_date":"2024-01-01T00:00:00Z","metrics":[${metrics}]}`;
};
const bodyOf = (rows: readonly string[]) => Buffer.from(`{"assets":[{"asset_id":"1","results":[${rows.join()}]}]}`);

const name = (index: number) => String(index).padStart(5, '0');
const usual = (index: number) => `{"name":"m${name(index)}","value":${index / 7 + 1000}}`;
const geometry = JSON.stringify(list(300_000, (index) => [index / 3, index / 7, 'é"\\']));

/** Metrics of every kind that may fill a row. */
const metrics: Readonly<Record<string, (index: number) => string>> = {
  usual,
  'wrong values': (index) => `{"name":"m${name(index)}","value":"x"}`,
  'one name, wrong values': () => '{"name":"a","value":""}',
  'negative zeros': (index) => `{"name":"m${name(index)}","value":-0}`,
  'repeated members': (index) => `{"name":0,"name":"m${name(index)}","value":1}`,
  'escaped names': (index) => `{"n\\u0061me":"m${name(index)}","value":1}`,
  empty: () => '{}',
  'no metrics': () => '0',
  'of many digits': (index) => `{"name":"m${name(index)}","value":1.${'7'.repeat(200)}}`,
};

const rows = ['rows', ['valueDate', ['metrics', ['name', 'value']]]] as const;
const columns = ['columns', ['valueDates', ['metrics', ['name', 'values']]]] as const;
/** Fields of rows, so many times. */
const fields: Readonly<Record<string, (count: number) => Asked[]>> = {
  rows: (count) => aliases(count, rows),
  columns: (count) => aliases(count, columns),
};
/** One field, with so many fields in it. */
const nested: Readonly<Record<string, Asked[]>> = {
  'rows of 490 values': nestedIn(
    'rows',
    list(490, (index): Short => ['value', undefined, { metric: `m${name(index)}` }]),
  ),
  'rows of 490 times a value': nestedIn(
    'rows',
    list(490, (): Short => ['value', undefined, { metric: 'm00001' }]),
  ),
  'rows of 490 lists': nestedIn(
    'rows',
    list(490, (): Short => ['metrics', ['name', 'value']]),
  ),
  'rows of 490 short lists': nestedIn(
    'rows',
    list(490, (): Short => ['metrics', ['value'], { metrics: ['m00001', 'm00002'] }]),
  ),
  'columns of 490 lists': nestedIn(
    'columns',
    list(490, (): Short => ['metrics', ['name', 'values']]),
  ),
};

function nestedIn(field: string, select: readonly Short[]): Asked[] {
  return fieldsOf([field, select]).map((asked) => ({
    ...asked,
    select: (asked.select ?? []).map((each, index) => ({ ...each, key: `a${index}` })),
  }));
}

interface Case {
  readonly title: string;
  readonly body: () => Buffer;
  readonly entries: readonly Asked[];
}

const sizes: readonly [title: string, bytes: number][] = [
  ['43 kB', 43_000],
  ['500 kB', 500_000],
  ['1 MiB', 1 << 20],
];

const cases: Case[] = [
  ...Object.entries(metrics).flatMap(([kind, metric]) =>
    sizes.flatMap(([size, bytes]) =>
      Object.entries(fields).flatMap(([of, make]) =>
        (kind === 'usual' ? [1, 20, 490] : [1, 20]).map((count) => ({
          title: `a row of ${size}, ${kind}; ${count} times ${of}`,
          body: () => bodyOf([rowOf(bytes, metric)]),
          entries: make(count),
        })),
      ),
    ),
  ),
  ...[1, 20, 490].flatMap((count) =>
    Object.entries(fields).map(([of, make]) => ({
      title: `40 rows of 43 kB; ${count} times ${of}`,
      body: () => bodyOf(list(40, () => rowOf(43_000, usual))),
      entries: make(count),
    })),
  ),
  ...Object.entries(nested).flatMap(([of, entries]) =>
    sizes.map(([size, bytes]) => ({
      title: `5 rows of ${size}; ${of}`,
      body: () => bodyOf(list(5, () => rowOf(bytes, usual))),
      entries,
    })),
  ),
  {
    title: '40 rows of 43 kB; rows of 490 lists',
    body: () => bodyOf(list(40, () => rowOf(43_000, usual))),
    entries: nested['rows of 490 lists'] as Asked[],
  },
  {
    title: '20,000 rows that are odd in turns; rows and columns',
    body: () => bodyOf(list(20_000, (index) => rowOf(300, Object.values(metrics)[index % 9] as typeof usual))),
    entries: fieldsOf(rows, columns),
  },
  {
    title: '5,000 rows with other names; rows and columns',
    body: () => bodyOf(list(5000, (index) => rowOf(110, () => usual(index)))),
    entries: fieldsOf(rows, columns),
  },
  {
    title: '300,000 rows without anything; 20 times rows',
    body: () => bodyOf(list(300_000, () => '{}')),
    entries: aliases(20, rows),
  },
  {
    title: 'members of 20 MB that nobody needs; rows',
    body: () =>
      Buffer.from(
        `{"x":${geometry},"assets":[{"asset_id":"1","y":${geometry},"asset_name":${geometry},"results":[${geometry}]}]}`,
      ),
    entries: fieldsOf(['asset', ['assetId', 'name']], rows),
  },
  {
    title: 'attributes of 1 MiB; asset',
    body: () => {
      const text = 'é\\n'.repeat(260_000);
      const categories = list(200_000, (index) => `"${index % 10}"`).join();
      return Buffer.from(
        `{"assets":[{"asset_id":"${text}","asset_name":"${text}","asset_categories":[null,${categories}]}]}`,
      );
    },
    entries: fieldsOf(['asset', ['assetId', 'name', 'categories']]),
  },
];

const { values: options } = parseArgs({ options: { only: { type: 'string' } } });
const isSlow = cases.filter(({ title }) => title.includes(options.only ?? '')).map((each) => report(each));
process.exit(isSlow.includes(true) ? 1 : 0);

/** Prints a line about a case. Returns whether its longest step is too long. */
function report({ title, body: makeBody, entries }: Case): boolean {
  const body = makeBody();
  const selection = new Selection({ entries });
  const runs = list(RUNS, () => measure(selection, body));
  const [first, ...later] = runs as [Taken, ...Taken[]];
  const least = later.toSorted((one, other) => one.longest - other.longest)[0] as Taken;
  const figures = [first.longest, least.longest].map((milliseconds) => milliseconds.toFixed(1).padStart(6));
  const isSlow = least.longest > MAX_STEP_MS;
  console.log(
    `${title.padEnd(62)} ${(body.length / 1e6).toFixed(1).padStart(5)} MB  longest ${figures.join(' ')} ms (${least.where})`,
    `of ${least.sum.toFixed(0)} ms${isSlow ? '  MISSED' : ''}`,
  );
  return isSlow;
}

interface Taken {
  longest: number;
  where: string;
  sum: number;
}

function measure(selection: Selection, body: Buffer): Taken {
  const taken: Taken = { longest: 0, where: '', sum: 0 };
  const timed = <T>(where: string, act: () => T): T => {
    const start = process.threadCpuUsage();
    const result = act();
    const { user, system } = process.threadCpuUsage(start);
    const milliseconds = (user + system) / 1000;
    taken.sum += milliseconds;
    if (milliseconds > taken.longest) Object.assign(taken, { longest: milliseconds, where });
    return result;
  };
  const reader = open(selection, { work: WORK });
  const work = () => {
    for (let hasMore = true; hasMore; ) {
      hasMore = timed('work', () => reader.work());
      for (const piece of timed('take', () => reader.take(1 << 16))) reader.give(piece);
    }
  };
  try {
    for (const piece of inPieces(body, PIECES)) {
      timed('push', () => reader.push(piece));
      work();
    }
    reader.end();
    work();
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    taken.where += ` ${error.kind}`;
  }
  return taken;
}
