import { buildSchema, isObjectType, isTypeDefinitionNode } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import {
  type Answer,
  assetReference,
  DATASET_ID,
  datasetReference,
  getSummary,
  outline,
  postResults,
  start,
  type TestBed,
  times,
} from '../support/harness.ts';

/** Names for some of everything: entities, shared types, other types, inputs, enums, scalars and root fields. */
const NAMES: Readonly<Record<string, string>> = {
  Asset: 'DatasetAsset',
  Dataset: 'PlatformDataset',
  PageInfo: 'DatasetPageInfo',
  GeoPoint: 'DatasetPoint',
  URL: 'Uri',
  AssetSeries: 'Series_1',
  Metric: 'metric',
  Result: 'Row',
  TimeRangeInput: 'DatasetTimeRange',
  PeriodUnit: 'DatasetPeriod',
  TimeBound: 'Moment',
  'Query.dataset': 'platformDataset',
  'Query.datasetsByIds': 'dataset',
};
const TYPES = readTypeDefs()
  .definitions.filter(isTypeDefinitionNode)
  .map(({ name }) => name.value)
  .filter((name) => name !== 'Query');

/** The name of a type or root field, by its schema coordinate. */
type Naming = (coordinate: string) => string;

const asWritten: Naming = (coordinate) => coordinate.replace('Query.', '');

/** Other names for some, or for everything. */
const namings: Readonly<Record<string, Naming>> = {
  some: (coordinate) => NAMES[coordinate] ?? asWritten(coordinate),
  all: (coordinate) => NAMES[coordinate] ?? `Foo${asWritten(coordinate)}`,
};

/** The settings that give these names. */
function settingsOf(name: Naming) {
  const entries = [...TYPES, 'Query.dataset', 'Query.datasetsByIds'].map((coordinate) => [
    coordinate,
    name(coordinate),
  ]);
  return {
    SCHEMA_NAMES: entries
      .filter(([coordinate, given]) => coordinate !== given)
      .map((entry) => entry.join(':'))
      .join(),
  };
}

/** An operation on every field that returns an object, with these names of types and root fields. */
const everything = (name: Naming) => `
  query (
    $id: ID!
    $filter: ${name('ResultsFilterInput')}
    $range: ${name('TimeRangeInput')}
    $start: ${name('TimeBound')}
    $every: ${name('PeriodUnit')}!
    $references: [_Any!]!
  ) {
    __typename
    one: ${name('Query.dataset')}(id: $id) {
      __typename
      name
      sharing
      startDate
      startDateTime
      processing { __typename id ... on ${name('DatasetProcessing')} { name } }
      source { __typename id }
      results(filter: $filter) {
        __typename
        series(first: 2) {
          __typename
          totalCount
          pageInfo { __typename hasNextPage endCursor }
          edges { __typename cursor node { __typename version } }
          nodes { ...Series asset { __typename ...Attributes } }
        }
        byDate { __typename metrics { __typename name quantiles(of: 0.5) } }
      }
      filtered: results(filter: { timeRange: { start: $start } }) { series { nodes { ...Series } } }
      asset(assetId: "b") { __typename ...Attributes series(filter: { timeRange: $range }) { ...Series } }
      assetsByIds(assetIds: ["c", "gone"]) { ...Attributes }
      download { __typename method url }
    }
    several: ${name('Query.datasetsByIds')}(ids: [$id, "gone"]) { __typename name }
    _entities(representations: $references) {
      __typename
      ... on ${name('Dataset')} { name results { series { nodes { ...Series } } } }
      ... on ${name('Asset')} { ...Attributes series { ...Series } }
    }
  }
  fragment Attributes on ${name('Asset')} {
    name
    version
    centroid { __typename latitude }
    parent { __typename name version asset { __typename assetId } }
    dataset { __typename id name }
  }
  fragment Series on ${name('AssetSeries')} {
    __typename
    version metricNames
    latest { __typename } statistics { __typename name maximum { __typename assetId } } periods(every: $every) { __typename metrics { __typename counts } }
    rows { __typename valueDate metrics { __typename name value } }
    columns { __typename valueDates metrics { __typename ... on ${name('MetricColumn')} { name values } } }
  }
`;

const variables = (name: Naming) => ({
  id: DATASET_ID,
  filter: { assetIds: ['a', 'b', 'c'] },
  range: { start: '2024-01-01T00:00:00Z' },
  start: 1_704_067_200_000,
  unit: 'MILLISECONDS',
  every: 'MONTH',
  references: [
    { ...datasetReference(), __typename: name('Dataset') },
    ...['c', 'nowhere'].map((id) => ({ ...assetReference(id), __typename: name('Asset') })),
  ],
});

/** The responses of a subgraph to everything, first when its document is new and then when it is known, and the REST calls. */
async function ask(env: Record<string, string>, name: Naming) {
  const bed = await start({ env: { ...env, UPSTREAM_CONNECTIONS: '1' } });
  const request = { variables: variables(name) };
  const answers = [await bed.query(everything(name), request), await bed.query(everything(name), request)];
  // The URLs of files hold the port of the service, and errors the id of the request.
  const texts = answers.map(({ text }) =>
    text.replaceAll(bed.simulator.url, 'http://service').replaceAll(/"requestId":"[^"]+"/g, '"requestId":""'),
  );
  return { bed, body: answers[0]?.body, texts, calls: bed.calls() };
}

const typenames = (texts: readonly string[]) =>
  new Set(texts.flatMap((text) => [...text.matchAll(/"__typename":"(\w+)"/g)].map(([, name]) => name)));

/** A response as it would be with other names of types. */
const renamed = (text: string, name: Naming) =>
  text.replaceAll(/(?<="__typename":")\w+/g, (type) => (type === 'Query' ? type : name(type)));

async function sdlOf({ query }: TestBed): Promise<string> {
  const { body }: Answer = await query('{ _service { sdl } }', { token: null });
  return body.data._service.sdl;
}

describe('3.26 SCHEMA_NAMES', () => {
  it.each(Object.entries(namings))('change nothing of a response but the names of types: %s', async (_, name) => {
    const plain = await ask({}, asWritten);
    const other = await ask(settingsOf(name), name);
    expect(outline({ body: plain.body } as Answer)).toMatchObject({
      data: {
        one: { results: { series: { totalCount: 3 } } },
        several: [{ name: 'Soil moisture' }, null],
        _entities: [{ name: 'Soil moisture' }, { name: 'Field c' }, null],
      },
      errors: ['several.1 NOT_FOUND'],
    });
    expect(other.texts).toEqual(plain.texts.map((text) => renamed(text, name)));
    expect(other.calls).toEqual(plain.calls);
    const types = Object.values(buildSchema(await sdlOf(other.bed), { assumeValid: true }).getTypeMap());
    const objects = types.filter((type) => isObjectType(type) && !/^_/.test(type.name)).map(({ name }) => name);
    expect(typenames(other.texts)).toEqual(new Set(objects));
  });

  it.each(Object.entries(namings))('name every type and root field: %s', async (_, name) => {
    const schemaWith = async (settings: Record<string, string>) => {
      const { query } = await start({ env: settings });
      const { body } = await query(
        '{ __schema { queryType { fields { name description } } types { name kind specifiedByURL description } } }',
      );
      const { queryType, types } = body.data.__schema as Record<'queryType', { fields: Named[] }> & { types: Named[] };
      return { fields: byName(queryType.fields), types: byName(types) };
    };
    const given = /^(Query|Boolean|Float|ID|Int|String|_Any|_Entity|_Service|__.*|federation__.*|link__.*)$/;
    const plain = await schemaWith({});
    expect(await schemaWith(settingsOf(name))).toEqual({
      fields: byName(plain.fields.map((field) => ({ ...field, name: fieldName(field, name) }))),
      types: byName(
        plain.types.map((type) => ({ ...type, name: given.test(type.name) ? type.name : name(type.name) })),
      ),
    });
    expect(plain.types.filter((type) => !given.test(type.name))).toHaveLength(31);
  });

  it('leave no root field and no type under its own name', async () => {
    const { query } = await start({ env: { SCHEMA_NAMES: 'Asset:DatasetAsset,Query.dataset:platformDataset' } });
    const { body } = await query(
      '{ dataset(id: "x") { id } _entities(representations: []) { ... on Asset { name } } }',
    );
    expect(body.errors.map(({ message }: Error) => message).toSorted()).toEqual([
      'Cannot query field "dataset" on type "Query".',
      'Unknown type "Asset". Did you mean "Dataset"?',
    ]);
  });

  it.each([
    [
      '$value: FooTimeBound',
      'dataset(id: "x") { asset(assetId: "a") { series(filter: { timeRange: { start: $value } }) { version } } }',
    ],
    ['$value: FooResultsFileFormat!', 'dataset(id: "x") { results { rowsFile(format: $value) { url } } }'],
    ['$value: Range', 'dataset(id: "x") { asset(assetId: "a") { series(filter: { timeRange: $value }) { version } } }'],
  ])('name types as they are called where a value is refused: %s', async (declaration, selection) => {
    const names = 'TimeBound:FooTimeBound,ResultsFileFormat:FooResultsFileFormat,TimeRangeInput:Range';
    const { query, calls } = await start({ env: { SCHEMA_NAMES: names } });
    const response = await query(`query (${declaration}) { ${selection} }`, { variables: { value: 'odd' } });
    expect(outline(response)).toEqual({ data: undefined, errors: ['BAD_USER_INPUT'] });
    expect(response.body.errors[0].message).not.toMatch(/\b(TimeBound|ResultsFileFormat|TimeRangeInput)\b/);
    expect(calls()).toEqual([]);
  });

  it.each(['FooMetric', 'Asset', 'Thing'])('refuse references to %s, which is no entity', async (__typename) => {
    const { query, calls } = await start({ env: { SCHEMA_NAMES: 'Metric:FooMetric,Asset:DatasetAsset' } });
    const document = 'query ($references: [_Any!]!) { _entities(representations: $references) { __typename } }';
    const reference = { ...assetReference('a'), __typename };
    const response = await query(document, { variables: { references: [reference] } });
    expect(outline(response)).toEqual({ data: undefined, errors: ['BAD_USER_INPUT'] });
    expect(response.body.errors[0].message).toContain('with the __typename "DatasetAsset" or "Dataset"');
    expect(calls()).toEqual([]);
  });

  it('keep the errors, limits and calls of a root field', async () => {
    const { query, calls, simulator } = await start({
      env: { SCHEMA_NAMES: 'Query.dataset:one,Query.datasetsByIds:several' },
    });
    const document = `query ($ids: [ID!]!) {
      one(id: "gone") { name }
      one_: one(id: "${DATASET_ID}") {
        name
        asset(assetId: "a") { name }
        results(filter: { assetIds: ["b"] }) { series { totalCount } }
      }
      several(ids: $ids) { id }
    }`;
    const ids = times(999, (index) => `d${index}`).split(' ');
    const both = { name: 'Soil moisture', asset: { name: 'Field a' }, results: { series: { totalCount: 1 } } };
    expect(outline(await query(document, { variables: { ids } }))).toEqual({
      data: { one: null, one_: both, several: null },
      errors: ['one NOT_FOUND', 'several REQUEST_LIMIT_EXCEEDED'],
    });
    simulator.clear();
    expect(outline(await query(document, { variables: { ids: ids.slice(1) } }))).toEqual({
      data: { one: null, one_: both, several: ids.slice(1).map((id) => ({ id })) },
      errors: ['one NOT_FOUND'],
    });
    const asked = [getSummary('gone'), getSummary(), postResults({ mo_ids: ['b', 'a'] })];
    expect(calls().toSorted()).toEqual(asked.toSorted());
  });

  it('keep the tags of entities', async () => {
    const env = { SCHEMA_NAMES: 'Asset:DatasetAsset', ROUTER_CACHE_RESULTS_SECONDS: '9' };
    const { query } = await start({ env });
    const { body } = await query(
      'query ($references: [_Any!]!) { _entities(representations: $references) { ... on DatasetAsset { name } } }',
      { variables: { references: [{ ...assetReference('a'), __typename: 'DatasetAsset' }] } },
    );
    expect(body).toEqual({
      data: { _entities: [{ name: 'Field a' }] },
      extensions: { apolloEntityCacheTags: [[`dataset-${DATASET_ID}`]] },
    });
  });

  it('may exchange names', async () => {
    const env = {
      SCHEMA_NAMES: 'Asset:Dataset, Dataset:Asset, Query.dataset:datasetsByIds, Query.datasetsByIds:dataset',
    };
    const { query } = await start({ env });
    const { body } = await query(`{
      datasetsByIds(id: "${DATASET_ID}") { __typename asset(assetId: "a") { __typename } }
      dataset(ids: ["${DATASET_ID}"]) { ... on Asset { name } }
    }`);
    expect(body).toEqual({
      data: {
        datasetsByIds: { __typename: 'Asset', asset: { __typename: 'Dataset' } },
        dataset: [{ name: 'Soil moisture' }],
      },
    });
  });
});

type Named = { name: string };
const byName = <T extends Named>(list: readonly T[]) => list.toSorted((one, other) => (one.name < other.name ? -1 : 1));
const fieldName = ({ name: field }: Named, name: Naming) => (field.startsWith('_') ? field : name(`Query.${field}`));
