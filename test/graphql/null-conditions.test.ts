import fc from 'fast-check';
import {
  buildClientSchema,
  execute,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
  isScalarType,
  parse,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, start } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

const CASES = randomCases(24);

/** The conditions: of `$t` and `$f` the values are true and false, and of the others null, in place of a default value. */
const HEAD = '$t: Boolean!, $f: Boolean!, $null: Boolean = true, $none: Boolean = false';
const variables = { t: true, f: false, null: null, none: null };
const usual = ['@include(if: $t)', '@skip(if: $f)', '@skip(if: $t)', '@include(if: $f)'];
const withNull = [
  '@include(if: $null)',
  '@skip(if: $none)',
  '@skip(if: $t) @include(if: $null)',
  '@include(if: $f) @skip(if: $null)',
  '@skip(if: $f) @include(if: $none)',
];

/** Mostly none. The deeper it is, the more often it is null: an error hides what is below. */
function conditionAt(levels: number, draw: (max: number) => number): string {
  if (draw(10 + 10 * levels) < 3) return withNull[draw(withNull.length)] ?? '';
  return draw(10) === 0 ? (usual[draw(usual.length)] ?? '') : '';
}

/** The arguments of fields that have some, each to choose from. Of others none is given. */
const argumentsOf: Readonly<Record<string, readonly string[]>> = {
  'Query.dataset': [`(id: "${DATASET_ID}")`],
  'Query.datasetsByIds': [`(ids: ["${DATASET_ID}", "${DATASET_ID}"])`, `(ids: "${DATASET_ID}")`, '(ids: [])'],
  'Query._entities': [
    `(representations: [{__typename: "Dataset", id: "${DATASET_ID}"}])`,
    `(representations: [{__typename: "Asset", datasetId: "${DATASET_ID}", assetId: "a"}, {__typename: "Dataset", id: "${DATASET_ID}"}])`,
    '(representations: [])',
  ],
  'Dataset.asset': ['(assetId: "a")'],
  'Dataset.assetsByIds': ['(assetIds: ["b", "a"])', '(assetIds: [])'],
  'Dataset.results': ['', '(filter: {assetIds: ["b"]})', '(filter: {assetIds: []})'],
  'DatasetResults.series': ['', '(first: 1)', '(first: 0)'],
  'DatasetResults.rowsFile': ['(format: CSV)'],
  'DatasetResults.seriesPeriodsFile': ['(every: MONTH, format: CSV)'],
  'DatasetResults.seriesStatisticsFile': ['(format: CSV)'],
  'DatasetResults.byDateFile': ['(format: CSV, quantiles: [0.5])'],
  'AssetSeries.rows': ['', '(first: 1)', '(offset: 1)'],
  'AssetSeries.periods': ['(every: MONTH)'],
  'AssetSeries.columns': ['', '(metrics: ["m"])', '(metrics: [])', '(points: 2)'],
  'AssetSeries.statistics': ['', '(metrics: ["m"])', '(metrics: [])'],
  'DatasetResults.statistics': ['', '(metrics: [])'],
  'DatasetResults.byDate': ['', '(metrics: [])'],
  'MetricAggregates.quantiles': ['(of: [0.5])', '(of: [])'],
  'MetricStatistics.quantiles': ['(of: [0.5])', '(of: [])'],
  'Result.value': ['(metric: "m")'],
  'Result.metrics': ['', '(metrics: ["n"])'],
};
/** What may be missing, so that its resolver has nothing to check; a ticket is another one each time. */
const omitted: ReadonlySet<string> = new Set([
  ...['Query._service', 'Query.__type', 'AssetParent.asset'],
  'DatasetDownload.ticketUrl',
]);

/** Writes a random selection on a type: each choice is a number. @param draw the next one, below a maximum */
class Writer {
  readonly #draw: (max: number) => number;
  readonly #schema: GraphQLSchema;
  readonly fragments: string[] = [];
  #aliases = 0;

  constructor(schema: GraphQLSchema, draw: (max: number) => number) {
    this.#schema = schema;
    this.#draw = draw;
  }

  set(type: GraphQLObjectType, levels: number): string {
    const fields = Object.values(type.getFields()).filter(
      (field) => !omitted.has(`${type.name}.${field.name}`) && (levels > 0 || isLeaf(field.type)),
    );
    const parts = Array.from({ length: 1 + this.#draw(3) }, () => this.#part(type, fields, levels));
    return `{ ${parts.join(' ')} }`;
  }

  #part(type: GraphQLObjectType, fields: ReturnType<GraphQLObjectType['getFields']>[string][], levels: number): string {
    const kind = this.#draw(10);
    if (kind === 0 && type.name !== 'Query')
      return `... ${this.#draw(2) === 0 ? '' : `on ${type.name}`} ${conditionAt(levels, this.#draw)} ${this.set(type, levels)}`;
    if (kind === 1 && type.name !== 'Query') {
      const name = `F${this.fragments.length}`;
      const index = this.fragments.push('') - 1;
      this.fragments[index] = `fragment ${name} on ${type.name} ${this.set(type, levels)}`;
      const again = this.#draw(3) === 0 ? `...${name} ${conditionAt(levels, this.#draw)}` : '';
      return `...${name} ${conditionAt(levels, this.#draw)} ${again}`;
    }
    // Mostly objects, which have more below them.
    const objects = fields.filter(({ type: of }) => !isLeaf(of));
    const from = objects.length > 0 && this.#draw(3) > 0 ? objects : fields;
    const field = from[this.#draw(from.length)];
    if (kind === 2 || field === undefined)
      return `${type.name === 'Query' ? 'a__typename: ' : ''}__typename ${conditionAt(levels, this.#draw)}`;
    const choices = argumentsOf[`${type.name}.${field.name}`] ?? [''];
    const given = choices[this.#draw(choices.length)] ?? '';
    const alias = given !== '' || this.#draw(3) === 0 ? `f${this.#aliases++}: ` : '';
    return `${alias}${field.name}${given} ${conditionAt(levels, this.#draw)} ${this.#selectionOf(field.type, levels - 1)}`;
  }

  #selectionOf(type: Parameters<typeof getNamedType>[0], levels: number): string {
    const named = getNamedType(type);
    if (isObjectType(named)) return this.set(named, levels);
    if (named === undefined || isLeaf(named)) return '';
    const [asset, dataset] = [this.#schema.getType('Asset'), this.#schema.getType('Dataset')] as GraphQLObjectType[];
    const parts = [asset, dataset].map(
      (entity) =>
        `... on ${entity?.name} ${conditionAt(levels, this.#draw)} ${this.set(entity as GraphQLObjectType, levels)}`,
    );
    return `{ t__: __typename ${parts.join(' ')} }`;
  }
}

function isLeaf(type: Parameters<typeof getNamedType>[0]): boolean {
  const named = getNamedType(type);
  return isScalarType(named) || (named !== undefined && 'getValues' in named);
}

/** Values of lists: absent, null, empty, or with some. */
const listOf = <T>(items: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 6, arbitrary: fc.array(items, { maxLength: 3 }) },
    { weight: 1, arbitrary: fc.constantFrom(null, undefined) },
  );
const metrics = listOf(fc.record({ name: fc.constantFrom('m', 'n'), value: fc.constantFrom(1.5, null, -2) }));
const rows = listOf(fc.record({ value_date: fc.constantFrom('2024-01-01', '2024-02-01T12:00:00Z'), metrics }));
const optional = <T>(value: T) => fc.constantFrom(value, undefined);
const attributes = fc.record({
  asset_name: optional('Field'),
  asset_version: optional(1),
  asset_categories: fc.constantFrom([], ['field'], undefined),
  asset_centroid_latitude: optional(45),
  asset_centroid_longitude: optional(7),
  parent_asset_id: optional('b'),
  parent_asset_name: optional('Farm'),
});
/** The assets a and b, in either order, and perhaps others. */
const bodies = fc
  .tuple(
    fc.shuffledSubarray(['a', 'b', 'c', 'd'], { minLength: 2 }),
    fc.array(fc.tuple(rows, attributes), { minLength: 4, maxLength: 4 }),
  )
  .map(([drawn, parts]) =>
    ['a', 'b', ...drawn.filter((id) => id > 'b')].map((id, index) => ({
      asset_id: id,
      ...parts[index]?.[1],
      results: parts[index]?.[0],
    })),
  );

interface Reported {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string };
}

/** The places that are null because of errors. Which of several errors makes one null depends on which is found first. */
function nulledBy(errors: readonly Reported[] | undefined, data: unknown): string[] {
  const places = (errors ?? []).map(({ path = [] }) => {
    let value = data;
    let length = 0;
    while (value !== null && length < path.length)
      value = (value as Record<string | number, unknown>)[path[length++] ?? ''];
    expect(value ?? null).toBeNull();
    return JSON.stringify(path.slice(0, length));
  });
  return [...new Set(places)].sort();
}

/** The fields that are written from rows, as a whole. */
const fromRows: ReadonlySet<string> = new Set([
  ...['rows', 'columns', 'latest', 'statistics', 'periods'].map((name) => `AssetSeries.${name}`),
  ...['statistics', 'byDate'].map((name) => `DatasetResults.${name}`),
]);

/** The error of a condition anywhere in the selection of a field. Undefined if there is none. */
function errorWithin(info: GraphQLResolveInfo, type: GraphQLOutputType, nodes: readonly FieldNode[]): unknown {
  const { schema, fragments, variableValues } = info;
  const object = getNamedType(type);
  if (!isObjectType(object)) return undefined;
  try {
    for (const selected of collectSubfields(schema, fragments, variableValues, object, nodes).values()) {
      const field = object.getFields()[selected[0]?.name.value ?? ''];
      const error = field && errorWithin(info, field.type, selected);
      if (error !== undefined) return error;
    }
    return undefined;
  } catch (error) {
    return error;
  }
}

const withoutLimits = { MAX_ALIASES: '1000000', MAX_DOCUMENT_TOKENS: '1000000', MAX_OPERATION_WORK: '1000000000000' };
const MESSAGE = 'Argument "if" of non-null type "Boolean!" must not be null.';

/*
 * Clause 3.27 of docs/contract.md in detail: null in a condition.
 * Null in a variable with a default value, in `@skip` or `@include`, is an error at each object that has the selection with the
 * condition, as in graphql-js: where there is no object, or the other directive decides before, there is no error. A field that is
 * written from rows is null as a whole, with one error, wherever the condition is in its selection.
 */
describe('3.27 Null in a condition', () => {
  let schema: GraphQLSchema;

  it('is the error that graphql-js has, where graphql-js has it', {
    tags: ['random'],
    timeout: 120_000,
  }, async () => {
    const bed = await start({ env: { ...withoutLimits, DOWNLOAD_TOKEN_IN_URL: 'allow' }, holdBytes: 1024 });
    schema ??= buildClientSchema((await bed.query(getIntrospectionQuery())).body.data);
    const query = schema.getQueryType() as GraphQLObjectType;
    const choices = fc.infiniteStream(fc.nat(1_000_000));
    const counts = { errors: 0, none: 0 };
    await fc.assert(
      fc.asyncProperty(choices, bodies, async (numbers, assets) => {
        const writer = new Writer(schema, (max) => (numbers.next().value as number) % max);
        const set = writer.set(query, 7);
        const document = `query (${HEAD}) { used: __typename @skip(if: $t) @include(if: $f) again: __typename @skip(if: $t) @include(if: $null) more: __typename @skip(if: $t) @include(if: $none) ...All } fragment All on Query ${set} ${writer.fragments.join(' ')}`;
        bed.simulator.intercept(({ operation, body }) => {
          if (operation === 'getDatasetMetadata') return undefined;
          const { mo_ids: ids } = JSON.parse(body);
          const sent = assets.filter((asset) => ids === undefined || ids.includes(asset.asset_id));
          return { status: 200, body: JSON.stringify({ assets: sent }) };
        });
        const plain = document
          .replace(/\(\$t.*?= false\)/, '')
          .replaceAll(/@(skip|include)\(if: \$\w+\)/g, '')
          .replaceAll('$', '');
        const whole = (await bed.query(plain)).body;
        // Some documents have more levels than an operation may have.
        fc.pre(whole.errors?.[0].extensions.code !== 'REQUEST_LIMIT_EXCEEDED');
        expect(whole.errors).toBeUndefined();
        const expected = await execute({
          schema,
          document: parse(document),
          variableValues: variables,
          rootValue: whole.data,
          fieldResolver: (source, _args, _context, info) => {
            const isFromRows = fromRows.has(`${info.parentType.name}.${info.fieldName}`);
            return (isFromRows && errorWithin(info, info.returnType, info.fieldNodes)) || source[info.path.key];
          },
          typeResolver: ({ t__ }) => t__,
        });
        for (let time = 0; time < 3; time += 1) {
          const { body } = await bed.query(document, { variables });
          expect(body.data).toEqual(JSON.parse(JSON.stringify(expected.data)));
          expect(nulledBy(body.errors, body.data)).toEqual(
            nulledBy(expected.errors as readonly Reported[] | undefined, expected.data),
          );
          for (const { message, extensions } of body.errors ?? []) {
            expect(message).toBe(MESSAGE);
            expect(extensions.code).toBe('BAD_USER_INPUT');
          }
        }
        counts[expected.errors === undefined ? 'none' : 'errors'] += 1;
      }),
      { numRuns: CASES },
    );
    console.info(`Of ${counts.errors + counts.none} documents, ${counts.errors} have errors.`);
    expect(bed.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });
});
