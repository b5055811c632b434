import type fc from 'fast-check';
import { expect } from 'vitest';
import type { Body } from '../support/random-bodies.ts';
import { readMetadata, readResults } from './body.ts';
import { type Cases, type Drawn, operationOf, run } from './field.ts';
import { type FileSpec, type Table, tableOf } from './files.ts';
import type { Drawing } from './random-service.ts';
import { type Format, fileMismatch } from './read-file.ts';
import { type Filter, read, type Service } from './respond.ts';
import { isProblem } from './rows.ts';
import type { Server } from './server.ts';

/** Tests of files on random bodies, as field.ts has those of fields. */

/** A file: what it is of, its format, and which results it has. */
export interface FileAsked extends Partial<Omit<FileSpec, 'hasTypes'>> {
  readonly format: Format;
  readonly filter?: Filter;
}

/** A file that has come. */
export interface ComparedFile {
  readonly file: FileAsked;
  readonly id: string;
  readonly server: Server;
  readonly bytes: Buffer;
  readonly table: Table;
}

/** What a test of files asks. */
interface FilesCases extends Omit<Cases, 'bodies'> {
  readonly file: (drawn: Drawn) => FileAsked;
  readonly bodies?: Drawing | fc.Arbitrary<Body>;
  /** What also holds of each file with the first settings. It throws if not. */
  readonly also?: (file: ComparedFile) => Promise<void> | void;
}

const operationFor = (field: string) =>
  operationOf(`dataset(id: $id) { results(filter: $filter) { file: ${field} { url } } }`);

/** The operations that have the URL of a file, with what it has as variables. */
const operations = {
  rows: operationFor('rowsFile(format: $format, layout: $layout, metrics: $metrics)'),
  periods: operationFor('seriesPeriodsFile(every: $every, format: $format, metrics: $metrics, quantiles: $quantiles)'),
  statistics: operationFor('seriesStatisticsFile(format: $format, metrics: $metrics, quantiles: $quantiles)'),
  byDate: operationFor('byDateFile(format: $format, metrics: $metrics, quantiles: $quantiles)'),
} as const;

function fileVariables(id: string, { format, of = 'rows', layout = 'long', ...file }: FileAsked) {
  const { every, quantiles = [], metrics, filter: { assetIds, start, stop } = {} } = file;
  const [from, to] = [start, stop].map((bound) => bound && String(bound));
  const timeRange = { start: from, stop: to };
  return {
    id,
    filter: { assetIds, ...((from ?? to) !== undefined && { timeRange }) },
    ...{ format: format.toUpperCase(), metrics },
    ...(of === 'rows' ? { layout: layout.toUpperCase() } : { quantiles }),
    ...(of === 'periods' && { every }),
  };
}

/** The table of a file; undefined if it must fail. */
function tableOfFile(service: Service, id: string, { format, filter = {}, ...file }: FileAsked): Table | undefined {
  const hasTypes = format === 'arrow' || format === 'parquet';
  if (hasTypes && isProblem(read(service.metadata(id), readMetadata))) return undefined;
  const isEmpty = filter.assetIds?.length === 0;
  const results = read(isEmpty ? { status: 200, body: '{}' } : service.results(id, filter), readResults);
  return isProblem(results) ? undefined : tableOf(results, { of: 'rows', layout: 'long', ...file, hasTypes });
}

/** Compares files: a field of the results gives the URL. Fails also if few of them are whole. */
export async function compareFile(options: FilesCases): Promise<void> {
  const { file: fileOf, also, cases, bodies = {}, ...others } = options;
  let whole = 0;
  const ask = (drawn: Drawn, service: Service) => {
    const file = fileOf(drawn);
    const table = tableOfFile(service, drawn.id, file);
    if (table !== undefined) whole += 1;
    return { file, table };
  };
  await run({ cases, ...others }, bodies, false, ask, async ({ server, id, isFirst, asked: { file, table } }) => {
    const response = await server.send(operations[file.of ?? 'rows'], fileVariables(id, file));
    const link = JSON.parse(response ?? '{}').data?.dataset?.results?.file?.url;
    if (typeof link !== 'string') return `no URL: ${response}`;
    const { pathname, search } = new URL(link, server.bed.subgraph.url);
    const bytes = await server.download(pathname + search);
    const wrong =
      bytes === undefined || table === undefined
        ? bytes === table
          ? undefined
          : `${bytes === undefined ? 'no file' : 'a file'}`
        : await fileMismatch(bytes, file.format, table);
    if (wrong !== undefined) return `${wrong}\n${link}\n${bytes?.toString().slice(0, 3000)}`;
    if (isFirst && bytes !== undefined && table !== undefined) await also?.({ file, id, server, bytes, table });
    return undefined;
  });
  if (cases >= 50) expect(whole).toBeGreaterThan(cases / 20);
}
