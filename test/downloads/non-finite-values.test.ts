import { tableFromIPC } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getSummary, postResults, start, type TestBed } from '../support/harness.ts';
import { bodiesWithTexts, metricIn, type TextBody } from '../support/non-finite-bodies.ts';
import { randomCases } from '../support/random-cases.ts';
import { type ReceivedFile, receive, resultsPath } from '../support/results-files.ts';

/** How many random bodies are tried. */
const CASES = randomCases(5);

const FORMATS = ['csv', 'csv_spreadsheet', 'ndjson', 'parquet', 'arrow'];
const LAYOUTS = ['long', 'wide'];
const COMPUTED = ['of=statistics', 'of=byDate&quantile=0.5', 'of=periods&every=month'];

/** How many values of a file are texts. @param metrics those of the file; undefined for all */
function textsIn({ assets }: TextBody, layout: string, metrics: readonly string[] | undefined): number {
  const rows = assets.flat();
  const names = new Set(rows.flatMap((row) => row.metrics.flatMap(({ name }) => name ?? [])));
  // Of a repeated metric a wide file has the first, and of one without a name none.
  const values = rows.flatMap((row) =>
    layout === 'wide' ? [...names].flatMap((name) => metricIn(row, name) ?? []) : row.metrics,
  );
  return values.filter(
    ({ name, isText }) => isText && (metrics === undefined || (name !== null && metrics.includes(name))),
  ).length;
}

/** What two files have in common if one has nulls in place of texts, and the number of texts that it says. */
function contentOf(
  format: string,
  { bytes, text }: ReceivedFile,
): { content: unknown; invalidValues: string | undefined } {
  if (format === 'arrow') {
    const table = tableFromIPC(bytes);
    const { created, invalid_values: invalidValues, ...metadata } = Object.fromEntries(table.schema.metadata);
    const rows = table
      .toArray()
      .map((row) => JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value)));
    return { content: [rows, table.schema.fields.map(String), metadata], invalidValues };
  }
  if (format !== 'parquet') return { content: text, invalidValues: undefined };
  // The metadata is at the end, and behind it are its length and four bytes.
  const end = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
  // In Thrift's compact protocol a string follows the type and the number of its field, and its length.
  const [, said] = bytes.toString('latin1', end).split('invalid_values');
  return { content: bytes.subarray(0, end), invalidValues: /^\d+/.exec(said?.slice(2) ?? '')?.[0] };
}

/** Downloads a file of a body with texts, and of the same with nulls. */
async function receiveBoth(bed: TestBed, body: TextBody, query: string): Promise<ReceivedFile[]> {
  const files: ReceivedFile[] = [];
  for (const results of [body.nulls, body.texts]) {
    bed.simulator.clear();
    bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: results } : undefined));
    const file = await receive(bed, resultsPath(query));
    expect([query, file.status, file.isComplete]).toEqual([query, 200, true]);
    expect(bed.calls()).toEqual([...(/parquet|arrow/.test(query) ? [getSummary()] : []), postResults({})]);
    files.push(file);
  }
  return files;
}

describe('3.43 Files of results in which values are NaN, Infinity or -Infinity as text', () => {
  it('have no value there, and Parquet and Arrow say how many', { tags: ['random'], timeout: 120_000 }, async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    const some = fc.constantFrom(undefined, ['m'], ['n', 'none'], ['none']);
    await fc.assert(
      fc.asyncProperty(fc.oneof(bodiesWithTexts(30), bodiesWithTexts(700)), some, async (body, metrics) => {
        for (const format of FORMATS) {
          for (const layout of LAYOUTS) {
            const names = (metrics ?? []).map((name) => `&metric=${name}`).join('');
            const query = `format=${format}&layout=${layout}${names}`;
            const [nulls, texts] = (await receiveBoth(bed, body, query)).map((file) => contentOf(format, file));
            expect(texts?.content).toEqual(nulls?.content);
            if (format !== 'parquet' && format !== 'arrow') continue;
            expect([query, nulls?.invalidValues]).toEqual([query, '0']);
            expect([query, texts?.invalidValues]).toEqual([query, String(textsIn(body, layout, metrics))]);
          }
        }
      }),
      { numRuns: CASES },
    );
  });

  it('have them missing in what is computed', { tags: ['random'], timeout: 120_000 }, async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    const contents = fc.constantFrom(...COMPUTED);
    await fc.assert(
      fc.asyncProperty(bodiesWithTexts(300), contents, fc.constantFrom(...FORMATS), async (body, of, format) => {
        const [nulls, texts] = (await receiveBoth(bed, body, `format=${format}&${of}`)).map((file) =>
          contentOf(format, file),
        );
        expect(texts).toEqual({ content: nulls?.content, invalidValues: undefined });
      }),
      { numRuns: CASES * 2 },
    );
  });

  it('have no value there in odd rows that are very long', {
    timeout: 120_000,
  }, async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    const bodyOf = (value: string) => {
      const long = Array.from(
        { length: 12_000 },
        (_, at) => `{"name":"${at % 2 === 0 ? 'm' : `n${at % 90}`}","value":${at === 0 || at % 3 === 1 ? value : at}}`,
      );
      return `{"assets":[{"asset_id":"a","results":[{"value_date":"2024-01-01","metrics":[${long.join()}]},{"metrics":[{"name":"m","value":${value}}]}]}]}`;
    };
    const body = { texts: bodyOf('"-infinity"'), nulls: bodyOf('null'), assets: [] };
    // Of the long row: the first value and each third one; wide: the first m, and those of the 45 others.
    const expected = { long: 1 + 4000 + 1, wide: 2 + 15 };
    for (const [layout, count] of Object.entries(expected)) {
      for (const format of ['ndjson', 'arrow']) {
        const [nulls, texts] = (await receiveBoth(bed, body, `format=${format}&layout=${layout}`)).map((file) =>
          contentOf(format, file),
        );
        expect(texts?.content).toEqual(nulls?.content);
        if (format === 'parquet' || format === 'arrow')
          expect([layout, texts?.invalidValues]).toEqual([layout, String(count)]);
      }
    }
  });

  it.each(['"NaNs"', '"none"', '1e999', 'true'])('are an error where another value is %s', async (value) => {
    const bed = await start();
    const rows = (...values: string[]) =>
      values.map((each) => `{"value_date":"2024-01-01","metrics":[{"name":"m","value":${each}}]}`);
    bed.simulator.intercept(({ operation }) =>
      operation === 'getDatasetResults'
        ? { body: `{"assets":[{"asset_id":"a","results":[${rows('"NaN"', value)}]}]}` }
        : undefined,
    );
    for (const query of [...FORMATS.map((format) => `format=${format}`), ...COMPUTED.map((of) => `format=csv&${of}`)]) {
      const { status, text } = await receive(bed, resultsPath(query));
      expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([502, 'UPSTREAM_INVALID_RESPONSE']);
    }
  });
});
