import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import {
  type Answer,
  assetReference,
  DATASET_ID,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  start,
  times,
} from '../support/harness.ts';
import { errorsOf, exceeded } from '../support/limits.ts';

const list = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);
const ofList = (selection: string, variables = '') =>
  `query ($ids: [ID!]!${variables}) { datasetsByIds(ids: $ids) { ${selection} } }`;

/** An operation, whose variables ask for so much. */
interface Limit {
  readonly title: string;
  readonly document: string;
  readonly variables: (count: number) => Record<string, unknown>;
  readonly most: number;
  readonly path: string;
  readonly message: string;
  readonly env?: Record<string, string>;
}

const assetIds = 'The filters of the operation have more than 10000 asset ids.';
const series = 'The operation selects more than 5000 results of datasets and series of assets.';

const limits: readonly Limit[] = [
  {
    title: 'datasets, under all aliases together',
    document:
      'query ($ids: [ID!]!, $more: [ID!]!) { datasetsByIds(ids: $ids) { id } more: datasetsByIds(ids: $more) { id } }',
    variables: (count) => ({ ids: Array(600).fill(DATASET_ID), more: Array(count - 600).fill(DATASET_ID) }),
    most: 1000,
    path: 'more',
    message: 'The operation names more than 1000 datasets.',
  },
  {
    title: 'representations, under all aliases together',
    document:
      'query ($r: [_Any!]!, $s: [_Any!]!) { _entities(representations: $r) { __typename } more: _entities(representations: $s) { __typename } }',
    variables: (count) => {
      const references = list('d', count).map((id) => datasetReference(id));
      return { r: references.slice(0, 3000), s: references.slice(3000) };
    },
    most: 5000,
    path: 'more',
    message: 'The operation has more than 5000 different representations (MAX_REPRESENTATIONS).',
  },
  {
    title: 'representations, as a setting',
    env: { MAX_REPRESENTATIONS: '1' },
    document: ofEntities('__typename'),
    variables: (count) => ({ references: list('d', count).map((id) => datasetReference(id)) }),
    most: 1,
    path: '_entities',
    message: 'The operation has more than 1 different representations (MAX_REPRESENTATIONS).',
  },
  {
    title: 'asset ids, in all filters together',
    env: { ASSET_IDS_PER_CALL: '10000' },
    document: `query ($ids: [ID!], $more: [ID!]) { dataset(id: "${DATASET_ID}") {
      a: results(filter: { assetIds: $ids }) { sourceId } b: results(filter: { assetIds: $more }) { sourceId } } }`,
    variables: (count) => ({ ids: list('a', 6000), more: list('a', count - 6000) }),
    most: 10_000,
    path: 'dataset',
    message: assetIds,
  },
  {
    title: 'assets by their ids, which are all that is selected',
    document: `query ($ids: [ID!]!) { dataset(id: "${DATASET_ID}") { assetsByIds(assetIds: $ids) { assetId } } }`,
    variables: (count) => ({ ids: list('a', count) }),
    most: 10_000,
    path: 'dataset',
    message: assetIds,
  },
  {
    title: 'datasets of a list, each with 101 asset ids',
    document: ofList('results(filter: { assetIds: $assets }) { sourceId }', ', $assets: [ID!]'),
    variables: (count) => ({ ids: Array(count).fill(DATASET_ID), assets: list('a', 101) }),
    most: 99,
    path: 'datasetsByIds',
    message: assetIds,
  },
  {
    title: 'references to assets, each with two series; one beyond is null, and spares the others',
    document: ofEntities(
      '... on Asset { a: series { version } b: series(filter: { timeRange: { start: 1 } }) { version } }',
    ),
    variables: (count) => ({ references: Array(count).fill(assetReference('a')) }),
    most: 2500,
    path: '_entities.2500',
    message: series,
  },
  {
    title: 'datasets of a list, each with 51 results',
    document: ofList(times(51, (index) => `a${index}: results(filter: { assetIds: [] }) { sourceId }`)),
    variables: (count) => ({ ids: Array(count).fill(DATASET_ID) }),
    most: 98,
    path: 'datasetsByIds',
    message: series,
  },
];

describe('3.27 Limits on what an operation asks for', () => {
  it.each(limits)('$most and no more: $title', async ({ document, variables, most, path, message, env = {} }) => {
    const bed = await start({ env });
    const tooMany = await bed.query(document, { variables: variables(most + 1) });
    expect([tooMany.status, errorsOf(tooMany)]).toEqual([200, [exceeded(path, message)]]);
    if (!path.includes('.')) expect(bed.calls()).toEqual([]);
    const { body } = await bed.query(document, { variables: variables(most) });
    expect(body.errors).toBeUndefined();
    expect(Object.values(body.data).flat()).not.toContain(null);
  });

  it('the SDL of the schema five times, and no more, under all aliases together', async () => {
    const { query } = await start();
    const sdl = expect.stringContaining('type Dataset');
    const five = await query('{ a: _service { sdl b: sdl } c: _service { sdl b: sdl d: sdl } }');
    expect(five.body).toEqual({ data: { a: { sdl, b: sdl }, c: { sdl, b: sdl, d: sdl } } });
    const six = await query('{ a: _service { sdl b: sdl c: sdl } d: _service { sdl b: sdl c: sdl } }');
    const message = 'The operation selects the SDL of the schema more than 5 times.';
    expect(six.body).toEqual({
      data: { a: { sdl, b: sdl, c: sdl }, d: { sdl, b: sdl, c: null } },
      errors: [{ ...errorAt(['d', 'c'], 'REQUEST_LIMIT_EXCEEDED'), message }],
    });
  });

  it('100 different time ranges, and no more', async () => {
    const bed = await start();
    const range = (alias: string, at: number) =>
      `${alias}${at}: results(filter: { timeRange: { start: ${at} } }) { sourceId }`;
    const document = (count: number) => ofDataset(`${times(count, (at) => range('a', at))} ${range('again', 0)}`);
    const message = 'The operation has more than 100 different time ranges.';
    expect(errorsOf(await bed.query(document(101)))).toEqual([exceeded('dataset', message)]);
    expect(bed.calls()).toEqual([]);
    expect((await bed.query(document(100))).body.errors).toBeUndefined();
    expect(bed.calls()).toHaveLength(100);
  });

  it('repeated representations count once', async () => {
    const bed = await start({ env: { MAX_REPRESENTATIONS: '2' } });
    const references = Array.from({ length: 6000 }, (_, at) =>
      at % 2 === 0 ? datasetReference() : assetReference('a'),
    );
    const document = ofEntities('... on Dataset { name } ... on Asset { title: name }');
    const { body } = await bed.query(document, { variables: { references } });
    expect(body).toEqual({
      data: {
        _entities: Array(3000)
          .fill([{ name: 'Soil moisture' }, { title: 'Field a' }])
          .flat(),
      },
    });
    expect(bed.calls()).toEqual([getSummary(), postResults({ mo_ids: ['a'] })]);
  });

  it('1000 metric names in a list, and no more; the rest of the selection stands', async () => {
    const bed = await start();
    const document = `query ($names: [String!]) { dataset(id: "${DATASET_ID}") { results(filter: { assetIds: ["a"] }) { series { nodes {
        columns(metrics: $names) { rowCount } rows(first: 2) { valueDate metrics(metrics: $names) { name } } } } } } }`;
    const ask = (count: number) => bed.query(document, { variables: { names: ['moisture', ...list('n', count - 1)] } });
    const node = ({ body }: Answer) => body.data.dataset.results.series.nodes[0];
    const rows = (metrics: unknown) => [1, 2].map((day) => ({ valueDate: `2024-01-0${day}`, metrics }));
    const most = await ask(1000);
    expect([errorsOf(most), node(most)]).toEqual([
      undefined,
      { columns: { rowCount: 3 }, rows: rows([{ name: 'moisture' }]) },
    ]);
    const tooMany = await ask(1001);
    expect(node(tooMany)).toEqual({ columns: null, rows: rows(null) });
    const at = 'dataset.results.series.nodes.0';
    const paths = [`${at}.columns`, `${at}.rows.0.metrics`, `${at}.rows.1.metrics`];
    expect(
      errorsOf(tooMany).sort((one: { path: string }, other: { path: string }) => (one.path < other.path ? -1 : 1)),
    ).toEqual(paths.map((path) => exceeded(path, 'A list of metric names must have at most 1000 entries.')));
  });
});
