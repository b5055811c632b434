import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { METRIC_NAMES } from '../support/fast-path-selections.ts';
import type { Setup } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { readMetadata, readResults } from './body.ts';
import { type FileSpec, tableOf } from './files.ts';
import { datasetSeeds, randomService } from './random-service.ts';
import { fileMismatch } from './read-file.ts';
import { type Filter, read, type Service } from './respond.ts';
import { isProblem } from './rows.ts';
import { startServer } from './server.ts';

/** Random files of random bodies against the oracle, of every format. The numbers are those of random-operations.test.ts. */
const CASES = randomCases(5100);
const BYTES = Number(process.env.ORACLE_BYTES ?? 2000);

const SETTINGS: readonly Setup[] = [{}, { env: { CACHE: 'memory' } }, { holdBytes: 1024 }];

const formats = ['csv', 'csv_spreadsheet', 'ndjson', 'parquet', 'arrow'] as const;

const files = fc.record({
  format: fc.constantFrom(...formats),
  of: fc.constantFrom('rows', 'rows', 'periods', 'statistics', 'bands'),
  layout: fc.constantFrom('long', 'wide'),
  every: fc.constantFrom('DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'),
  quantiles: fc.constantFrom([], [0.5], [0, 0.25, 1], [0.1, 0.9]),
  metrics: fc.option(fc.uniqueArray(fc.constantFrom(...METRIC_NAMES, 'nothing'), { maxLength: 3 }), { freq: 3 }),
  assetIds: fc.option(fc.uniqueArray(fc.constantFrom('a', 'b', 'nobody'), { maxLength: 2 }), { freq: 1 }),
  start: fc.option(fc.constant(1_704_067_200_000n), { freq: 1 }),
});

type File = typeof files extends fc.Arbitrary<infer T> ? T : never;

const filterOf = ({ assetIds, start }: File): Filter => ({
  ...(assetIds !== null && { assetIds }),
  ...(start !== null && { start }),
});

function pathOf(datasetId: string, file: File): string {
  const { format, of, layout, every, quantiles, metrics, assetIds, start } = file;
  const query = new URLSearchParams({ format, of, layout: of === 'rows' ? layout : 'long' });
  if (of === 'periods') query.append('every', every.toLowerCase());
  const list = (name: string, values: readonly unknown[]) => {
    for (const value of values.length === 0 ? [''] : values) query.append(name, String(value));
  };
  if (of === 'bands') list('quantile', quantiles);
  if (metrics?.length === 0) query.append('metrics', 'none');
  else for (const metric of metrics ?? []) query.append('metric', metric);
  if (assetIds !== null) list('assetId', assetIds);
  if (start !== null) query.append('start', String(start));
  return `/download/results/${datasetId}?${query}`;
}

/** The table of a file; undefined if it must fail. */
function expectedTable(service: Service, datasetId: string, file: File) {
  const { format, of, layout, every, quantiles, metrics } = file;
  const hasTypes = format === 'arrow' || format === 'parquet';
  if (hasTypes && isProblem(read(service.metadata(datasetId), readMetadata))) return undefined;
  const filter = filterOf(file);
  const reply =
    filter.assetIds?.length === 0 ? { status: 200, body: '{"assets":[]}' } : service.results(datasetId, filter);
  const results = read(reply, readResults);
  const spec: FileSpec = { of, layout, every, quantiles, metrics: metrics ?? undefined, hasTypes };
  return isProblem(results) ? undefined : tableOf(results, spec);
}

describe('3.43 A file is what the oracle says', () => {
  it('of random bodies', { tags: ['random'], timeout: 120_000 + CASES * 500 }, async () => {
    const servers = await Promise.all(SETTINGS.map(startServer));
    let count = 0;
    let whole = 0;
    const cases = fc.record({
      setting: fc.nat(SETTINGS.length - 1),
      file: files,
      dataset: datasetSeeds(BYTES),
      pieces: fc.option(fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 3 })),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ setting, file, dataset, pieces }) => {
        const server = servers[setting] as (typeof servers)[number];
        count += 1;
        const id = `dataset-${count}`;
        const service = randomService(new Map([[id, dataset]]));
        Object.assign(server, { service, pieces: pieces ?? undefined });
        const expected = expectedTable(service, id, file);
        const bytes = await server.download(pathOf(id, file));
        const wrong =
          bytes === undefined || expected === undefined
            ? bytes === expected
              ? undefined
              : `${bytes === undefined ? 'no file' : 'a file'}`
            : await fileMismatch(bytes, file.format, expected);
        if (expected !== undefined) whole += 1;
        if (wrong === undefined) return;
        const found = `${pathOf(id, file)}\n${service.results(id, filterOf(file)).body.slice(0, 5000)}`;
        throw new Error(`${wrong}\n${found}\n${bytes?.toString().slice(0, 3000)}`);
      }),
      { numRuns: CASES },
    );
    expect(whole).toBeGreaterThan(CASES / 4);
  });
});
