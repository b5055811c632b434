import fc from 'fast-check';
import { DATASET_ID } from '../support/harness.ts';
import {
  type Choice,
  directives,
  documentOf,
  type Item,
  type Operation,
  selection,
} from '../support/random-selection.ts';
import { asset, resultsFields, variableTypes as resultsVariables } from '../support/results-selections.ts';

/** Random documents on the whole schema. */

/** The dataset ids in arguments and variables. */
export const DATASET_IDS = [DATASET_ID, 'd2', 'd3/ä "', 'nothing'];

type Items = fc.Arbitrary<readonly Item[]>;

/** Selections one after the other, so that more fields stand side by side, and more of them are merged. */
const wide = (items: Items, max: number): Items =>
  fc.array(items, { minLength: 1, maxLength: max, size: 'max' }).map((parts) => parts.flat());

const plain = (name: string): Choice => ({ weight: 1, name });
const idAndName: readonly Choice[] = [
  { weight: 1, name: 'id' },
  { weight: 1, name: 'name', odd: 'toString' },
];

const download = selection('DatasetDownload', [
  { weight: 3, name: 'url' },
  { weight: 1, name: 'ticketUrl' },
  { weight: 1, name: 'method', odd: 'constructor' },
  { weight: 1, name: 'requiredHeaders' },
]);

const dataset = wide(
  selection('Dataset', [
    { weight: 1, name: 'id' },
    { weight: 2, name: 'name', odd: '__proto__' },
    { weight: 1, name: 'description', odd: 'toJSON' },
    ...['assetCount', 'attributionText', 'attributionFile', 'stopDate', 'stopDateTime', 'downloadUrlWithToken'].map(
      plain,
    ),
    { weight: 2, name: 'sharing' },
    { weight: 2, name: 'processing', items: selection('DatasetProcessing', idAndName) },
    { weight: 2, name: 'source', items: selection('DatasetSource', idAndName) },
    { weight: 2, name: 'startDate', odd: 'then' },
    { weight: 2, name: 'startDateTime' },
    { weight: 2, name: 'download', items: download },
    ...resultsFields.map((field) =>
      field.name === 'results'
        ? { ...field, args: [...(field.args ?? []), '(filter: $filter)', '(filter: {timeRange: $range})'] }
        : field,
    ),
  ]),
  3,
);

const typename = selection('_Entity', [], 0);

/** A selection on entities: fragments on the types of the union and on itself. */
function entity(nesting: number): Items {
  const fragment = (type: string, items: Items) =>
    fc
      .tuple(fc.constantFrom('inline' as const, 'named' as const), directives, items)
      .map(([kind, directive, selected]): readonly Item[] => {
        // A named fragment needs a type.
        const isBare = type === '' && kind === 'inline';
        return [{ kind, type: type === '' && !isBare ? '_Entity' : type, directives: directive, items: selected }];
      });
  const choices = [
    { weight: 1, arbitrary: typename },
    { weight: 5, arbitrary: fragment('Dataset', dataset) },
    { weight: 5, arbitrary: fragment('Asset', wide(asset(2), 2)) },
  ];
  const nested = nesting === 0 ? [] : [{ weight: 2, arbitrary: fragment('', entity(nesting - 1)) }];
  return wide(fc.oneof(...choices, ...nested), 3);
}

const INTROSPECTED_TYPE = `{ kind name specifiedByURL isOneOf inputFields { name defaultValue type { name } } enumValues { name }
  fields(includeDeprecated: $t) { name isDeprecated args { name type { name ofType { name } } } type { ...on __Type { kind } } } }`;

const REFERENCES = [
  `{__typename: "Dataset", id: "${DATASET_ID}"}`,
  '{__typename: "Dataset", id: "d2", x: $x}',
  '{__typename: "Asset", datasetId: "d2", assetId: "a"}',
];
const BAD_REFERENCES = ['{__typename: "Dataset"}', '{__typename: "Asset", datasetId: "", assetId: 5}'];

const query = wide(
  selection('Query', [
    {
      weight: 14,
      name: 'dataset',
      args: ['(id: $id)', '(id: "d2")', '(id: $other)', '(id: 5)'],
      bad: ['(id: "")', '(id: "..")'],
      odd: 'then',
      items: dataset,
    },
    {
      weight: 4,
      name: 'datasetsByIds',
      args: ['(ids: [$id, "d2", $other])', '(ids: $datasets)', '(ids: "d2")', '(ids: [])'],
      bad: ['(ids: ["d2", "", $id])'],
      odd: '__proto__',
      items: dataset,
    },
    {
      weight: 6,
      name: '_entities',
      args: ['(representations: $references)', `(representations: [${REFERENCES.join(', ')}])`],
      bad: [`(representations: [${[...REFERENCES, ...BAD_REFERENCES].join(', ')}])`],
      items: entity(1),
    },
    { weight: 1, name: '_service', items: selection('_Service', [{ weight: 4, name: 'sdl' }]) },
    {
      weight: 1,
      name: '__schema',
      args: [
        ` { queryType ${INTROSPECTED_TYPE} mutationType { name } }`,
        ' { types { name } directives { name locations } }',
      ],
    },
    {
      weight: 1,
      name: '__type',
      args: ['"Dataset"', '$metric', '"TimeRangeInput"', '"_Entity"'].map(
        (name) => `(name: ${name}) ${INTROSPECTED_TYPE}`,
      ),
    },
  ]),
  3,
);

/** How variables may be declared. */
const declarations: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.entries(resultsVariables).map(([name, type]) => [name, [type]])),
  id: ['ID!', 'ID!', `ID! = "${DATASET_ID}"`],
  // Null is possible for those with a default value.
  t: ['Boolean!', 'Boolean = true', 'Boolean = true'],
  f: ['Boolean!', 'Boolean = false', 'Boolean = false'],
  first: ['Int', 'Int = 1', 'Int = null', 'Int!'],
  offset: ['Int', 'Int! = 1', 'Int = 1'],
  names: ['[String!]', '[String!] = ["m"]', '[String!]!'],
  other: ['ID!', 'ID! = "d2"'],
  datasets: ['[ID!]!', '[ID!]! = ["d2"]'],
  filter: ['ResultsFilterInput', 'ResultsFilterInput = {assetIds: ["a"]}'],
  range: ['TimeRangeInput', 'TimeRangeInput = {stop: 5}'],
  every: ['PeriodUnit!', 'PeriodUnit! = MONTH', 'PeriodUnit = WEEK'],
  quantiles: ['[Float!]!', '[Float!]! = [0.5]', '[Float!] = [0.25, 1]'],
  x: ['Int'],
};

const OPERATION_NAMES = ['A', 'B'];

const queries: fc.Arbitrary<readonly Operation[]> = fc.oneof(
  { weight: 6, arbitrary: query.map((items) => [{ name: undefined, items }]) },
  { weight: 2, arbitrary: query.map((items) => [{ name: 'A', items }]) },
  {
    weight: 1,
    arbitrary: fc.tuple(query, query).map((both) => both.map((items, at) => ({ name: OPERATION_NAMES[at], items }))),
  },
);

/** A random document. */
export interface RandomDocument {
  /** The names of its operations, undefined for none. */
  readonly names: readonly (string | undefined)[];
  readonly text: string;
}

const generated: fc.Arbitrary<RandomDocument> = fc
  .tuple(
    queries,
    fc.record(Object.fromEntries(Object.entries(declarations).map(([name, all]) => [name, fc.constantFrom(...all)]))),
  )
  .map(([operations, declared]) => ({
    names: operations.map(({ name }) => name),
    text: documentOf(operations, declared),
  }));

const junk = fc.constantFrom(
  ...'{}()[]$@:"#&|!\u0000\ufeff',
  '...',
  '"""',
  'fragment F on Query { ...F }',
  '...F0',
  '0x',
);

/** A document with parts left out, said twice, or replaced by junk. */
const broken = fc
  .tuple(generated, fc.array(fc.tuple(fc.nat(), fc.nat(30), fc.option(junk)), { minLength: 1, maxLength: 4 }))
  .map(([{ names, text }, damages]): RandomDocument => {
    const damaged = damages.reduce((whole, [place, length, put]) => {
      const at = place % (whole.length + 1);
      return whole.slice(0, at) + (put ?? whole.slice(at, at + length).repeat(2)) + whole.slice(at + length);
    }, text);
    return { names, text: damaged };
  });

/** Documents that the grammar does not give, with the names of their operations. Few of them can be executed. */
const others = fc
  .constantFrom<[source: string, ...names: (string | undefined)[]]>(
    ['mutation B { nothing } query A { __typename }', 'A', 'B'],
    ['query A { __typename } subscription { __typename }', 'A', undefined],
    ['query A { __typename } query B($id: ID!) { dataset(id: $id) { id } }', 'A', 'B', undefined],
    ['{ nothing }', undefined],
    ['{ __typename ', undefined],
    ['', undefined],
  )
  .map(([text, ...names]): RandomDocument => ({ names, text }));

/** Random documents. Most are valid. */
export const documents: fc.Arbitrary<RandomDocument> = fc.oneof(
  { weight: 36, arbitrary: generated },
  { weight: 4, arbitrary: broken },
  { weight: 1, arbitrary: others },
);
