import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../oracle/dates.ts';
import { start, type TestBed } from '../support/harness.ts';
import { bodies } from '../support/random-bodies.ts';
import { randomCases } from '../support/random-cases.ts';
import { type ReceivedFile, receive, resultsPath } from '../support/results-files.ts';
import { startWith } from './files.ts';
import { hasPyArrow, readWithDuckDB, readWithPolars, readWithPyArrow } from './readers.ts';
import type { Asset, Table, Type } from './table.ts';

/** How many bodies are tried. */
const CASES = randomCases(170);

const isWhole = ({ status, isComplete }: ReceivedFile) => status === 200 && isComplete;

const hasTooManyColumns = ({ status, text }: ReceivedFile) => status !== 200 && text.includes('the maximum of columns');

/** The rows of an NDJSON file, with these columns. */
function rowsOf(text: string, columns: Table['columns']): Table['rows'] {
  const integers = new Set(columns.flatMap(([name, type]) => (type === 'int64' ? [name] : [])));
  const reviver = (key: string, value: unknown, context?: { source?: string }) =>
    integers.has(key) && typeof value === 'number' ? context?.source : value;
  const parse = JSON.parse as (text: string, reviver: unknown) => Record<string, string | number | null>;
  const lines = text.split('\n').slice(0, -1);
  return lines.map((line) => {
    const row = parse(line, reviver);
    expect(Object.keys(row).toSorted()).toEqual(columns.map(([name]) => name).toSorted());
    return columns.map(([name, type]) => cellAs(type, row[name] as string | number | null));
  });
}

/** A cell as a reader must see it in a column of this type. */
function cellAs(type: Type, cell: string | number | null): string | number | null {
  if (typeof cell !== 'string' || (type !== 'timestamp' && type !== 'date')) return cell;
  const nanoseconds = instantOf(cell);
  if (nanoseconds === undefined) return cell;
  return type === 'timestamp'
    ? String(nanoseconds)
    : new Date(Number(nanoseconds / 1_000_000n)).toISOString().slice(0, 10);
}

/** The rows of a table as DuckDB reads them: its timestamps with a time zone end at microseconds. */
function inMicroseconds({ columns, rows }: Table): Table['rows'] {
  return rows.map((row) =>
    row.map((cell, at) =>
      columns[at]?.[1] === 'timestamp' && cell !== null ? String((BigInt(cell) / 1000n) * 1000n) : cell,
    ),
  );
}

/** Expects a file to hold the same in each format. Returns the table; undefined if it is an error in each. */
async function expectSame(bed: TestBed, query: string): Promise<Table | undefined> {
  const get = (format: string) => receive(bed, resultsPath(`format=${format}&${query}`));
  const [ndjson, parquet, arrow] = [await get('ndjson'), await get('parquet'), await get('arrow')];
  // They may have fewer columns than lines of text.
  const isTooWide = isWhole(ndjson) && [parquet, arrow].every(hasTooManyColumns);
  expect(isTooWide && !query.includes('wide')).toBe(false);
  if (!isTooWide) expect([isWhole(parquet), isWhole(arrow)]).toEqual([isWhole(ndjson), isWhole(ndjson)]);
  if (!isWhole(parquet)) return undefined;
  // DuckDB remembers what it has read of a file.
  const folder = await mkdtemp(join(tmpdir(), 'results-'));
  const path = join(folder, 'file');
  await writeFile(`${path}.parquet`, parquet.bytes);
  await writeFile(`${path}.arrow`, arrow.bytes);
  try {
    const table = await readWithPolars(`${path}.arrow`);
    expect(table.rows).toEqual(rowsOf(ndjson.text, table.columns));
    expect(await readWithPolars(`${path}.parquet`)).toEqual(table);
    expect((await readWithDuckDB(`${path}.parquet`)).rows).toEqual(inMicroseconds(table));
    if (hasPyArrow && query.includes('of='))
      for (const format of ['parquet', 'arrow']) expect(await readWithPyArrow(`${path}.${format}`)).toEqual(table);
    return table;
  } finally {
    await rm(folder, { recursive: true });
  }
}

describe('Files of random results', () => {
  it('hold the same in each format', { tags: ['random'], timeout: 60_000 + CASES * 1000 }, async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    let whole = 0;
    const types = new Set<Type | undefined>();
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom('long', 'wide'), async (body, layout) => {
        const bytes = body.bytes(undefined, false);
        bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: bytes } : undefined));
        const table = await expectSame(bed, `layout=${layout}`);
        if (table === undefined) return;
        whole += 1;
        types.add(table.columns[3]?.[1]);
      }),
      { numRuns: CASES },
    );
    expect(whole).toBeGreaterThan(CASES / 20);
    expect(types.size).toBeGreaterThan(1);
  });
});

describe('3.43 Results as files of what is computed', () => {
  const names = ['moisture', 'a,b', '"q"', 'Größe'];
  /** Two assets with a row for each day, in the middle of which metrics are missing. */
  const assets = ['a', 'b,"c"'].map((id, asset): Asset => {
    const rows = Array.from({ length: 400 }, (_, day) => ({
      date: new Date(Date.UTC(2023, 11, 20 + day)).toISOString().slice(0, 10),
      metrics: names
        .filter((_, index) => index === 0 || day < 20 || day > 70)
        .map(
          (name, index) => [name, (day + index) % 9 === 0 ? null : `${(day * 7919) % 1000}.${asset}${index}`] as const,
        ),
    }));
    return asset === 0
      ? { id, name: null, version: '9223372036854775807', rows }
      : { id, name: 'Field, "b"', version: null, rows };
  });

  it.each([
    'of=periods&every=day',
    'of=periods&every=week&metric=%22q%22&metric=unknown',
    'of=periods&every=quarter&quantile=0.5&quantile=0',
    'of=statistics&quantile=0.25&quantile=1',
    'of=byDate&quantile=0.05&quantile=1e-7&metric=Gr%C3%B6%C3%9Fe',
  ])('hold the same in each format, also without rows: %s', async (query) => {
    const bed = await startWith(assets);
    expect((await expectSame(bed, query))?.rows.length).toBeGreaterThan(7);
    bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: '{}' } : undefined));
    expect((await expectSame(bed, query))?.rows).toEqual([]);
  });
});
