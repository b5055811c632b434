import composition from '@apollo/composition';
import { buildSchema, isObjectType, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type Answer, assetReference, DATASET_ID, datasetReference, outline, start, type TestBed } from './harness.ts';

const PREFIX = 'Foo';

/** An operation on every field that returns an object, with the types of this prefix where it names types. */
const everything = (prefix: string) => `
  query (
    $id: ID!
    $filter: ${prefix}ResultsFilterInput
    $range: ${prefix}TimeRangeInput
    $start: ${prefix}EpochMillis
    $unit: ${prefix}EpochUnit!
    $auth: ${prefix}DownloadAuth!
    $references: [_Any!]!
  ) {
    __typename
    dataset(id: $id) {
      __typename
      name
      sharing
      startDate
      startDateTime(unit: $unit)
      processing { __typename id ... on ${prefix}DatasetProcessing { name } }
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
      }
      filtered: results(filter: { timeRange: { start: $start } }) { series { nodes { ...Series } } }
      asset(assetId: "b") { __typename ...Attributes series(timeRange: $range) { ...Series } }
      download { __typename method url(auth: $auth) }
    }
    _entities(representations: $references) {
      __typename
      ... on Dataset { name results { series { nodes { ...Series } } } }
      ... on Asset { ...Attributes series { ...Series } }
    }
  }
  fragment Attributes on Asset {
    name
    version
    centroid { __typename latitude }
    parent { __typename name version }
  }
  fragment Series on ${prefix}AssetSeries {
    __typename
    version
    metricNames
    results { __typename valueDate metrics { __typename name value } }
    columns { __typename valueDates metrics { __typename ... on ${prefix}MetricColumn { name values } } }
  }
`;

const variables = {
  id: DATASET_ID,
  filter: { assetIds: ['a', 'b', 'c'] },
  range: { start: '2024-01-01T00:00:00Z' },
  start: 1_704_067_200_000,
  unit: 'MILLISECONDS',
  auth: 'AUTHORIZATION_HEADER',
  references: [datasetReference(), assetReference('c'), assetReference('nowhere')],
};

/** A subgraph, its answer to everything, and the REST calls made for it. */
async function ask(prefix: string, fastPath: 'on' | 'off') {
  const bed = await start({ env: { RESULTS_FAST_PATH: fastPath, TYPE_PREFIX: prefix } });
  const { text, body } = await bed.query(everything(prefix), { variables });
  // The URLs of files hold the port of the service.
  return { bed, body, text: text.replaceAll(bed.simulator.url, 'http://service'), calls: bed.calls() };
}

const typenames = ({ text }: { text: string }) =>
  new Set([...text.matchAll(/"__typename":"(\w+)"/g)].map(([, name]) => name));

/** An answer as it would be if the types had the prefix. */
const prefixed = (text: string) =>
  text.replaceAll(/"__typename":"(?!(?:Query|Dataset|Asset)")/g, `"__typename":"${PREFIX}`);

async function sdlOf({ query }: TestBed): Promise<string> {
  const { body }: Answer = await query('{ _service { sdl } }', { token: null });
  return body.data._service.sdl;
}

describe('3.26 TYPE_PREFIX', () => {
  it.each(['on', 'off'] as const)(
    'changes nothing of a response but the names of types; fast path %s',
    async (fastPath) => {
      const without = await ask('', fastPath);
      const withPrefix = await ask(PREFIX, fastPath);
      expect(withPrefix.text).toBe(prefixed(without.text));
      expect(withPrefix.calls).toEqual(without.calls);
      expect(Object.keys(without.body)).toEqual(['data']);
      const { hits } = withPrefix.bed.subgraph.fastPath.read();
      expect(hits).toBe(fastPath === 'on' ? 5 : 0);
      expect(withPrefix.bed.subgraph.fastPath.read()).toEqual(without.bed.subgraph.fastPath.read());
      const types = Object.values(buildSchema(await sdlOf(withPrefix.bed)).getTypeMap());
      const objects = types.filter((type) => isObjectType(type) && !/^_/.test(type.name)).map(({ name }) => name);
      expect(typenames(withPrefix)).toEqual(new Set(objects));
    },
  );

  it('is before the name of every type but Dataset, Asset and what GraphQL and federation define', async () => {
    const names = async (prefix: string) => {
      const { query } = await start({ env: { TYPE_PREFIX: prefix } });
      const { body } = await query('{ __schema { types { name kind specifiedByURL description } } }');
      return body.data.__schema.types as { name: string }[];
    };
    const kept =
      /^(Asset|Dataset|Query|Boolean|Float|ID|Int|String|_Any|_Entity|_Service|__.*|federation__.*|link__.*)$/;
    const without = await names('');
    const byName = (types: { name: string }[]) => types.toSorted((one, other) => (one.name < other.name ? -1 : 1));
    expect(byName(await names(PREFIX))).toEqual(
      byName(without.map(({ name, ...type }) => ({ ...type, name: kept.test(name) ? name : PREFIX + name }))),
    );
    expect(without.filter(({ name }) => !kept.test(name))).toHaveLength(26);
  });

  it.each([
    [
      '$value: FooEpochMillis',
      'dataset(id: "x") { asset(assetId: "a") { series(timeRange: { start: $value }) { version } } }',
    ],
    ['$value: FooEpochUnit!', 'dataset(id: "x") { startDateTime(unit: $value) }'],
    ['$value: FooTimeRangeInput', 'dataset(id: "x") { asset(assetId: "a") { series(timeRange: $value) { version } } }'],
  ])('names types as they are called where a value is refused: %s', async (declaration, selection) => {
    const { query, calls } = await start({ env: { TYPE_PREFIX: PREFIX } });
    const response = await query(`query (${declaration}) { ${selection} }`, { variables: { value: 'odd' } });
    expect(outline(response)).toEqual({ data: undefined, errors: ['BAD_USER_INPUT'] });
    expect(response.body.errors[0].message).not.toMatch(/\b(EpochMillis|EpochUnit|TimeRangeInput)\b/);
    expect(calls()).toEqual([]);
  });

  it('refuses references to types that are no entities, as without it', async () => {
    const { query } = await start({ env: { TYPE_PREFIX: PREFIX } });
    const document = 'query ($references: [_Any!]!) { _entities(representations: $references) { __typename } }';
    const response = await query(document, { variables: { references: [{ __typename: 'FooMetric' }] } });
    expect(outline(response)).toEqual({ data: undefined, errors: ['BAD_USER_INPUT'] });
  });

  it('leaves no type under its own name', async () => {
    const { query } = await start({ env: { TYPE_PREFIX: PREFIX } });
    const response = await query('{ _entities(representations: []) { ... on AssetSeries { version } } }');
    expect(response.body.errors.map(({ message }: Error) => message)).toEqual([
      'Unknown type "AssetSeries". Did you mean "FooAssetSeries"?',
    ]);
  });
});

/** A subgraph of another team, which calls its types by names that this one uses too. */
const crowded = parse(`
  extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key"])

  type Query { results(range: TimeRangeInput!): [Result!]! }
  type Result { metrics: [Metric!]! unit: EpochUnit! at: DateTime! place: GeoPoint }
  type Metric { name: Int! unit: String }
  type GeoPoint { latitude: String! longitude: String! altitude: String! }
  enum EpochUnit { DAYS }
  input TimeRangeInput { from: Int! to: Int! }
  scalar DateTime
  type Dataset @key(fields: "id") { id: ID! metric: Metric }
`);

async function composeWith(prefix: string) {
  const sdl = await sdlOf(await start({ env: { TYPE_PREFIX: prefix } }));
  return composition.composeServices([
    { name: 'dataset', url: 'http://dataset.invalid', typeDefs: parse(sdl) },
    { name: 'crowded', url: 'http://crowded.invalid', typeDefs: crowded },
  ]);
}

describe('3.26 Composition with a subgraph that has types of the same names', () => {
  it('fails without TYPE_PREFIX', async () => {
    const { errors, supergraphSdl } = await composeWith('');
    expect(supergraphSdl).toBeUndefined();
    expect(new Set(errors?.map(({ extensions }) => extensions.code))).toEqual(
      new Set([
        'EMPTY_MERGED_INPUT_TYPE',
        'ENUM_VALUE_MISMATCH',
        'FIELD_TYPE_MISMATCH',
        'INVALID_FIELD_SHARING',
        'REQUIRED_INPUT_FIELD_MISSING_IN_SOME_SUBGRAPH',
      ]),
    );
  });

  it('has no errors and no hints with it, and both types are there', async () => {
    const { errors, hints, supergraphSdl = '' } = await composeWith(PREFIX);
    expect({ errors, hints }).toEqual({ errors: undefined, hints: [] });
    for (const type of ['Metric', 'FooMetric', 'Result', 'FooResult'])
      expect(supergraphSdl).toContain(`type ${type}\n`);
    expect(supergraphSdl.match(/^type Dataset\n/gm)).toHaveLength(1);
  });
});
