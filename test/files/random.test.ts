import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { instantOf } from '../oracle/dates.ts';
import { start } from '../support/harness.ts';
import { bodies } from '../support/random-bodies.ts';
import { randomCases } from '../support/random-cases.ts';
import { type ReceivedFile, receive, resultsPath } from '../support/results-files.ts';
import { readWithDuckDB, readWithPolars } from './readers.ts';
import type { Table, Type } from './table.ts';

/** How many bodies are tried. */
const CASES = randomCases(170);

const isWhole = ({ status, isComplete }: ReceivedFile) => status === 200 && isComplete;

const hasTooManyColumns = ({ status, text }: ReceivedFile) => status !== 200 && text.includes('the maximum of columns');

/** The rows of an NDJSON file, with these columns. */
function rowsOf(text: string, columns: readonly string[]): Table['rows'] {
  const reviver = (key: string, value: unknown, context?: { source?: string }) =>
    key === 'asset_version' && typeof value === 'number' ? context?.source : value;
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => {
      const row = (JSON.parse as (text: string, reviver: unknown) => Record<string, string | number | null>)(
        line,
        reviver,
      );
      expect(Object.keys(row).toSorted()).toEqual(columns.toSorted());
      return columns.map((name) => row[name] as string | number | null);
    });
}

/** A date as a reader must see it in a column of this type. */
function dateAs(type: Type | undefined, date: string | null): string | null {
  const nanoseconds = date === null ? undefined : instantOf(date);
  if (type === 'timestamp' && nanoseconds !== undefined) return String(nanoseconds);
  return type === 'date' && nanoseconds !== undefined
    ? new Date(Number(nanoseconds / 1_000_000n)).toISOString().slice(0, 10)
    : date;
}

describe('Files of random results', () => {
  it('hold the same in each format', { tags: ['random'], timeout: 60_000 + CASES * 1000 }, async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    const folder = await mkdtemp(join(tmpdir(), 'results-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    let whole = 0;
    const types = new Set<Type | undefined>();
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom('long', 'wide'), async (body, layout) => {
        const bytes = body.bytes(undefined, false);
        bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: bytes } : undefined));
        const get = (format: string) => receive(bed, resultsPath(`format=${format}&layout=${layout}`));
        const [ndjson, parquet, arrow] = [await get('ndjson'), await get('parquet'), await get('arrow')];
        // They may have fewer columns than lines of text.
        const isTooWide = isWhole(ndjson) && [parquet, arrow].every(hasTooManyColumns);
        expect(isTooWide && layout === 'long').toBe(false);
        if (!isTooWide) expect([isWhole(parquet), isWhole(arrow)]).toEqual([isWhole(ndjson), isWhole(ndjson)]);
        if (!isWhole(parquet)) return;
        whole += 1;
        // DuckDB remembers what it has read of a file.
        const path = join(folder, String(whole));
        await writeFile(`${path}.parquet`, parquet.bytes);
        await writeFile(`${path}.arrow`, arrow.bytes);
        const table = await readWithPolars(`${path}.arrow`);
        const [, , , [, dates] = []] = table.columns;
        types.add(dates);
        const rows = rowsOf(
          ndjson.text,
          table.columns.map(([name]) => name),
        ).map((row) => row.with(3, dateAs(dates, row[3] as string | null)));
        expect(table.rows).toEqual(rows);
        expect(await readWithPolars(`${path}.parquet`)).toEqual(table);
        expect((await readWithDuckDB(`${path}.parquet`)).rows).toEqual(rows);
      }),
      { numRuns: CASES },
    );
    expect(whole).toBeGreaterThan(CASES / 20);
    expect(types.size).toBeGreaterThan(1);
  });
});
