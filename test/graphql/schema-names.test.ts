import { buildSchema, isObjectType, isTypeDefinitionNode, Kind, parse, print, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../src/core/error-codes.ts';
import { readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { assetReference, DATASET_ID, getSummary, ofEntities, outline, postResults, start } from '../support/harness.ts';
import { everything, variables } from './everything.ts';

/** Names for some of everything: entities, shared types, other types, inputs, enums, scalars and root fields. */
const NAMES: Readonly<Record<string, string>> = {
  Asset: 'DatasetAsset',
  Dataset: 'PlatformDataset',
  PageInfo: 'DatasetPageInfo',
  GeoPoint: 'DatasetPoint',
  URL: 'Uri',
  AssetSeries: 'Series_1',
  Metric: 'metric',
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
const namings: [title: string, naming: Naming][] = [
  ['some', (coordinate) => NAMES[coordinate] ?? asWritten(coordinate)],
  ['all', (coordinate) => NAMES[coordinate] ?? `Foo${asWritten(coordinate)}`],
];

/** The settings that give these names. */
function settingsOf(name: Naming) {
  const entries = [...TYPES, 'Query.dataset', 'Query.datasetsByIds'].map((coordinate) => [
    coordinate,
    name(coordinate),
  ]);
  const renamed = entries.filter(([coordinate, given]) => coordinate !== given);
  return { SCHEMA_NAMES: renamed.map((entry) => entry.join(':')).join() };
}

const nameNode = (value: string) => ({ kind: Kind.NAME, value }) as const;
const typename = { kind: Kind.FIELD, name: nameNode('__typename') } as const;

/** Everything with these names, and the name of the type of each object. */
const documentWith = (name: Naming) =>
  print(
    visit(parse(everything), {
      NamedType: (node) =>
        TYPES.includes(node.name.value) ? { ...node, name: nameNode(name(node.name.value)) } : undefined,
      SelectionSet: { leave: (node) => ({ ...node, selections: [typename, ...node.selections] }) },
      OperationDefinition: (node) => {
        const selections = node.selectionSet.selections.map((field) =>
          field.kind === Kind.FIELD && !field.name.value.startsWith('_')
            ? { ...field, alias: field.name, name: nameNode(name(`Query.${field.name.value}`)) }
            : field,
        );
        return { ...node, selectionSet: { ...node.selectionSet, selections } };
      },
    }),
  );

const textOf = (value: object) => JSON.stringify(value);

/** The responses to everything, first when its document is new and then when it is known, the REST calls, and the SDL. */
async function ask(env: Record<string, string>, name: Naming) {
  const bed = await start({ env: { ...env, UPSTREAM_CONNECTIONS: '1', MAX_OPERATION_WORK: '1000000000' } });
  const representations = variables.representations.map((reference) => ({
    ...reference,
    __typename: name(reference.__typename),
  }));
  const texts: string[] = [];
  for (let times = 0; times < 2; times += 1) {
    const { body } = await bed.query(documentWith(name), { variables: { ...variables, representations } });
    // Their order depends on which field fails first.
    const errors = body.errors?.toSorted((one: object, other: object) => (textOf(one) < textOf(other) ? -1 : 1));
    const ofBed = textOf({ ...body, errors })
      .replaceAll(bed.simulator.url, 'http://service')
      .replaceAll(bed.subgraph.url.replace('/graphql', ''), '');
    texts.push(ofBed.replaceAll(/"requestId":"[^"]+"|"sdl":"([^"\\]|\\.)*"/g, ''));
  }
  const calls = bed.calls();
  const { body } = await bed.query('{ _service { sdl } }', { token: null });
  return { texts, calls, sdl: body.data._service.sdl as string };
}

/** A response as it would be with other names of types. */
const renamed = (text: string, name: Naming) =>
  text.replaceAll(/(?<="__typename":")[A-Za-z]\w+/g, (type) => (type === 'Query' ? type : name(type)));

/** The names of federation, of the root type and of GraphQL's own types. */
const given = /^(Query|Boolean|Float|ID|Int|String|_.*|FieldSet|Import|federation__.*|link__.*)$/;

describe('3.26 SCHEMA_NAMES', () => {
  it.each(namings)('change nothing of a response but the names of types: %s', async (_, name) => {
    const plain = await ask({}, asWritten);
    const other = await ask(settingsOf(name), name);
    expect(other.texts).toEqual(plain.texts.map((text) => renamed(text, name)));
    expect(other.calls).toEqual(plain.calls);
    const [ofPlain, ofOther] = [plain, other].map(({ sdl }) => buildSchema(sdl, { assumeValid: true }));
    const namesOf = (all: object | undefined) => Object.keys(all ?? {}).toSorted();
    const renamedBy = (all: object | undefined, prefix: string) =>
      namesOf(all)
        .map((own) => (given.test(own) ? own : name(prefix + own)))
        .toSorted();
    expect(namesOf(ofPlain?.getTypeMap()).filter((own) => !given.test(own))).toHaveLength(31);
    expect(namesOf(ofOther?.getTypeMap())).toEqual(renamedBy(ofPlain?.getTypeMap(), ''));
    expect(namesOf(ofOther?.getQueryType()?.getFields())).toEqual(
      renamedBy(ofPlain?.getQueryType()?.getFields(), 'Query.'),
    );
    const objects = Object.values(ofOther?.getTypeMap() ?? {})
      .filter((type) => isObjectType(type) && !/^__|^_Entity/.test(type.name))
      .map(({ name }) => name);
    const found = other.texts.flatMap((text) => [...text.matchAll(/"__typename":"(\w+)"/g)].map(([, type]) => type));
    expect(new Set(found)).toEqual(new Set(objects));
  });

  it('leave no root field and no type under its own name, also not in messages', async () => {
    const names =
      'Asset:DatasetAsset,Metric:FooMetric,TimeBound:FooTimeBound,TimeRangeInput:Range,Query.dataset:platformDataset';
    const { query, calls } = await start({ env: { SCHEMA_NAMES: names } });
    const { body } = await query(
      '{ dataset(id: "x") { id } _entities(representations: []) { ... on Asset { name } } }',
    );
    expect(body.errors.map(({ message }: Error) => message).toSorted()).toEqual([
      'Cannot query field "dataset" on type "Query".',
      'Unknown type "Asset". Did you mean "Dataset"?',
    ]);
    for (const [type, range] of [
      ['FooTimeBound', '{ start: $value }'],
      ['Range', '$value'],
    ]) {
      const document = `query ($value: ${type}) { platformDataset(id: "x") { results(filter: { timeRange: ${range} }) { sourceId } } }`;
      const response = await query(document, { variables: { value: 'odd' } });
      expect(outline(response)).toEqual({ data: undefined, errors: ['BAD_USER_INPUT'] });
      expect(response.body.errors[0].message).not.toMatch(/\b(TimeBound|TimeRangeInput)\b/);
    }
    for (const __typename of ['FooMetric', 'Asset', 'Thing']) {
      const references = [{ ...assetReference('a'), __typename }];
      const response = await query(ofEntities('__typename'), { variables: { references } });
      expect(outline(response)).toEqual({ data: undefined, errors: ['BAD_USER_INPUT'] });
      expect(response.body.errors[0].message).toContain('with the __typename "DatasetAsset" or "Dataset"');
    }
    expect(calls()).toEqual([]);
  });

  it('keep the errors, limits and calls of a root field', async () => {
    const { query, calls } = await start({ env: { SCHEMA_NAMES: 'Query.dataset:one,Query.datasetsByIds:several' } });
    const document = `query ($ids: [ID!]!) {
      one(id: "gone") { name }
      one_: one(id: "${DATASET_ID}") { name asset(assetId: "a") { name } results(filter: { assetIds: ["b"] }) { sourceId } }
      several(ids: $ids) { id }
    }`;
    const one_ = { name: 'Soil moisture', asset: { name: 'Field a' }, results: { sourceId: 's-1' } };
    expect(outline(await query(document, { variables: { ids: Array(999).fill('d') } }))).toEqual({
      data: { one: null, one_, several: null },
      errors: ['one NOT_FOUND', 'several REQUEST_LIMIT_EXCEEDED'],
    });
    const asked = [getSummary('gone'), getSummary(), postResults({ mo_ids: ['b', 'a'] })];
    expect(calls().toSorted()).toEqual(asked.toSorted());
  });

  it('keep the tags of entities', async () => {
    const env = { SCHEMA_NAMES: 'Asset:DatasetAsset', ROUTER_CACHE_RESULTS_SECONDS: '9' };
    const { query } = await start({ env });
    const references = [{ ...assetReference('a'), __typename: 'DatasetAsset' }];
    const { body } = await query(ofEntities('... on DatasetAsset { name }'), { variables: { references } });
    expect(body).toEqual({
      data: { _entities: [{ name: 'Field a' }] },
      extensions: { apolloEntityCacheTags: [[`dataset-${DATASET_ID}`]] },
    });
  });

  it('may exchange names', async () => {
    const SCHEMA_NAMES = 'Asset:Dataset, Dataset:Asset, Query.dataset:datasetsByIds, Query.datasetsByIds:dataset';
    const { query } = await start({ env: { SCHEMA_NAMES } });
    const one = `datasetsByIds(id: "${DATASET_ID}") { __typename asset(assetId: "a") { __typename } }`;
    const { body } = await query(`{ ${one} dataset(ids: ["${DATASET_ID}"]) { ... on Asset { name } } }`);
    const datasetsByIds = { __typename: 'Asset', asset: { __typename: 'Dataset' } };
    expect(body).toEqual({ data: { datasetsByIds, dataset: [{ name: 'Soil moisture' }] } });
  });
});

/*
 * Clause 3.26 of docs/contract.md in detail.
 * `SCHEMA_NAMES` gives types and the root fields `dataset` and `datasetsByIds` other names: objects, inputs, enums and
 * scalars in the schema, in `__typename`, in entity references and in messages. Nothing else changes. Names that the
 * schema cannot have stop the start with a one-line message.
 */
describe('3.26 SCHEMA_NAMES at the start', () => {
  const malformed = [
    ...'Asset|:Foo|Asset:|,|Asset:Foo,|,Asset:Foo|Asset:Foo,,Metric:Bar|Asset:Foo:Bar|Asset=Foo'.split('|'),
    ...['Asset:Foo;Metric:Bar', 'Asset :Foo', 'Asset: Foo', 'Query.:foo', '.dataset:foo', 'Query.dataset.id:foo'],
    ...['Asset:Foo,Asset:Bar', 'Asset:Foo,Asset:Foo', 'Asset:1Foo', 'Asset:Foo-Bar', 'Asset:F\u00f6', 'Asset:Foo.bar'],
    ...['_Any', '_Service', '_Entity', '_Foo', '__Foo', 'Foo__Bar', 'Foo__'].map((name) => `Asset:${name}`),
    ...['Query.dataset:_entities', 'Query.dataset:__typename', '_Any:Any', 'Query._entities:entities'],
  ];
  const unknown = ['Nothing', 'asset', 'Query', 'ID', 'Query.nothing', 'Dataset.name'];
  const reserved = ['Query', 'Mutation', 'Subscription', 'ID', 'Int', 'Float', 'String', 'Boolean'];
  const malformedSentence = (names: string) =>
    'must be entries such as Asset:DatasetAsset or Query.dataset:platformDataset, separated by commas, ' +
    'each type or field once, each new name a letter, then letters, digits and single underscores, ' +
    `but ${JSON.stringify(names)} was given.`;
  const refused = [
    ...malformed.map((names) => [names, malformedSentence(names)]),
    ...unknown.map((name) => [`${name}:foo`, `renames ${name}, which is neither a type nor a root field to rename.`]),
    ...reserved.map((name) => [`Asset:${name}`, `must not give Asset the name ${name}, which GraphQL reserves.`]),
    ['Asset:Dataset', 'must not give Dataset and Asset the same name, but both are Dataset.'],
    ['Asset:Foo,Metric:Foo', 'must not give Asset and Metric the same name, but both are Foo.'],
    [
      'Query.dataset:datasetsByIds',
      'must not give Query.dataset and Query.datasetsByIds the same name, but both are datasetsByIds.',
    ],
  ] as [names: string, sentence: string][];

  it.each(refused)('end it with one sentence if the schema cannot have them: %s', async (SCHEMA_NAMES, sentence) => {
    await expect(start({ env: { SCHEMA_NAMES } })).rejects.toThrow(new ConfigError(`SCHEMA_NAMES ${sentence}`));
  });

  it.each([
    ...['Asset:Foo_1_,Metric:Bar', 'Asset:Foo, Metric:Bar , Query.dataset:foo', 'Asset:Asset', 'Metric:FooMetric'],
    ...'Asset:Query_ Asset:query Asset:Entity Asset:FieldSet Query.dataset:Asset Query.dataset:entities'.split(' '),
    'Query.dataset:Query',
  ])('do not end it otherwise: %s', async (SCHEMA_NAMES) => {
    const { query } = await start({ env: { SCHEMA_NAMES } });
    expect((await query('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });
});
