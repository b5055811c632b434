import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, ofEntities, respondWith, start, type TestBed } from '../support/harness.ts';

const withFilter =
  'query ($filter: ResultsFilterInput) { dataset(id: "d") { results(filter: $filter) { processingId } } }';

/** The response to a new document, and to the same when it is known. */
async function askTwice(bed: TestBed, document: string, variables: Record<string, unknown>) {
  const first = await bed.query(document, { variables });
  // A document is known when it was executed once, with whatever variables.
  const again = await bed.query(document, { variables });
  expect([again.status, again.body]).toEqual([first.status, first.body]);
  return first;
}

/** An object with so many keys. */
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, index) => [`key${index}`, 1]));
const tooManyNames = Array(1001).fill('m');
const rowsOf = (count: number, row: (index: number) => unknown) => ({
  ...assetResult('a'),
  results: Array.from({ length: count }, (_, index) => row(index)),
});

/*
 * Clause 3.27 of docs/contract.md in detail: variables and errors.
 * Null is `BAD_USER_INPUT` where a variable with a default value has it in place of a non-null argument: at the field of the
 * argument, or at each object whose selection has the condition, if it is that of `@skip` or `@include`; where there is no object,
 * or the other directive decides before, there is no error. A field that is written from rows is null as a whole, with one error.
 *
 * A field that exceeds the limit is null with the error; everything written before it is sent. An invalid argument
 * makes only its field null. Errors beyond the limit are counted and not created.
 */
describe('3.27 Errors of a response', () => {
  it('are 1000, and one more that says how many were omitted', async () => {
    const bed = await start();
    const bad = (index: number) => ({
      message: 'A reference to a dataset needs "id" as a string or an integer.',
      locations: expect.any(Array),
      path: ['_entities', index],
      extensions: { code: 'BAD_USER_INPUT' },
    });
    const first = Array.from({ length: 1000 }, (_, index) => bad(index));
    const message = 'A response has at most 1000 errors; 3 more are omitted.';
    for (const [count, more] of [
      [1000, []],
      [1003, [{ message, extensions: { code: 'REQUEST_LIMIT_EXCEEDED' } }]],
    ] as const) {
      const references = Array.from({ length: count }, () => ({ __typename: 'Dataset' }));
      const { body } = await bed.query(ofEntities('... on Dataset { name }'), { variables: { references } });
      expect(body).toEqual({ data: { _entities: Array(count).fill(null) }, errors: [...first, ...more] });
    }
  });

  it('have the location of one of the fields that were merged', async () => {
    const bed = await start();
    respondWith(bed.simulator, {
      results: { assets: [rowsOf(1000, (day) => ({ value_date: `day ${day}`, metrics: [] }))] },
    });
    const merged = 'metrics(metrics: $names) { name } '.repeat(100);
    const document = `query ($names: [String!]) { dataset(id: "${DATASET_ID}") { results { series { nodes { rows { ${merged} } } } } } }`;
    const { body, text } = await askTwice(bed, document, { names: tooManyNames });
    expect([body.errors.length, body.errors[7].locations.length]).toEqual([1000, 1]);
    expect(body.errors[999].path).toEqual(['dataset', 'results', 'series', 'nodes', 0, 'rows', 999, 'metrics']);
    expect(text.length).toBeLessThan(400_000);
  });

  it.each([2, 10, 40])('of a document have the locations of all that are wrong, but ten at most: %i', async (count) => {
    const bed = await start();
    const definitions = Array.from({ length: count }, () => '\n   $v: ID').join(',');
    const { body } = await bed.query(`query (${definitions}) { datasetsByIds(ids: [$v]) { id } }`);
    const locations = Array.from({ length: Math.min(count, 10) }, (_, index) => ({ line: index + 2, column: 5 }));
    const extensions = { code: 'GRAPHQL_VALIDATION_FAILED' };
    expect(body.errors).toContainEqual({
      message: 'There can be only one variable named "$v".',
      locations,
      extensions,
    });
  });

  it('have at most 64 kB of messages, each of them short, and as much of names in paths', async () => {
    const bed = await start();
    const unquoted = await bed.query(`{ dataset(id: ${'x'.repeat(500_000)}) { id } }`);
    expect(unquoted.body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(unquoted.text.length).toBeLessThan(2000);
    const names = Array.from({ length: 90 }, (_, index) => `a${index}: ${'x'.repeat(9_000)}${index}`);
    const { text, body } = await bed.query(`{ ${names.join(' ')} }`);
    expect(text.length).toBeLessThan(2 ** 17);
    expect(body.errors[0].message).toMatch(/^Cannot query field "x{200}…" on type "Query"\./);
    const references = Array.from({ length: 500 }, () => ({ __typename: 'Dataset' }));
    const document = `query ($references: [_Any!]!) { ${'x'.repeat(30_000)}: _entities(representations: $references) { __typename } }`;
    const ofPaths = await bed.query(document, { variables: { references } });
    const message = 'A response has at most 65536 characters of errors; 497 more are omitted.';
    expect([ofPaths.body.errors.length, ofPaths.body.errors[3].message]).toEqual([4, message]);
    expect(ofPaths.text.length).toBeLessThan(2 ** 18);
  });

  it('of variables are 50, also of a known document, which makes no more of them', async () => {
    const bed = await start();
    const ask = async (name: string, ids: unknown[]) => {
      const started = performance.now();
      const document = `query ${name}($ids: [ID!]!) { datasetsByIds(ids: $ids) { id } }`;
      const { status, body } = await bed.query(document, { variables: { ids } });
      return { elapsed: performance.now() - started, status, body };
    };
    await ask('First', []);
    const many = Array(300_000).fill([]);
    const unknown = await ask('Other', many);
    const known = await ask('First', many);
    expect([known.status, known.body]).toEqual([400, unknown.body]);
    expect(known.body.errors).toHaveLength(51);
    expect(known.body.errors[49]).toEqual({
      message:
        'Variable "$ids" got invalid value [] at "ids[49]"; An ID must be a text, or an integer of at most 2^53 - 1.',
      locations: [{ line: 1, column: 13 }],
      extensions: { code: 'BAD_USER_INPUT' },
    });
    // With an error for each value it takes a hundred times as long.
    expect(known.elapsed).toBeLessThan(10 * unknown.elapsed);
    expect(bed.calls()).toEqual([]);
  });
});

describe('3.27 Invalid variables', () => {
  const deep = JSON.parse('['.repeat(2000) + ']'.repeat(2000));

  it.each<[string, unknown, string]>([
    ['unknown keys: 50,000', wide(50_000), 'Field "key0" is not defined by type "ResultsFilterInput".'],
    ['a long unknown key', { ['x'.repeat(500_000)]: 1 }, `Field "${'x'.repeat(200)}…" is not defined`],
    ['an object as an id', { assetIds: [wide(50_000)] }, 'An ID must be a text, or an integer'],
    ['a long text', { timeRange: { start: 'x'.repeat(500_000) } }, 'A point in time must be an integer'],
    ['deep lists', { timeRange: deep }, 'Expected type "TimeRangeInput" to be'],
    [
      'short ones, which are quoted as they are',
      { assetId: ['a'], timeRange: null },
      'Variable "$filter" got invalid value { assetId: ["a"], timeRange: null }; Field "assetId" is not defined by type "ResultsFilterInput". Did you mean "assetIds"?',
    ],
  ])('make errors that are short: %s', async (_title, filter, message) => {
    const bed = await start();
    const { status, text, body } = await askTwice(bed, withFilter, { filter });
    const extensions = { code: 'BAD_USER_INPUT' };
    expect([status, body.errors[0]]).toMatchObject([200, { message: expect.stringContaining(message), extensions }]);
    expect(text.length).toBeLessThan(64 * 2 ** 10);
    expect(bed.calls()).toEqual([]);
  });

  it('stay invalid, whatever their names are', async () => {
    const bed = await start();
    const filter = JSON.parse('{"__proto__":{"assetIds":["x"]}}');
    // A POST with such a key is rejected as a whole.
    const url = `/graphql?${new URLSearchParams({ query: withFilter, variables: JSON.stringify({ filter }) })}`;
    const { text } = await bed.http(url, { headers: { 'apollo-require-preflight': 'yes', authorization: 'Bearer x' } });
    expect(JSON.parse(text).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(bed.calls()).toEqual([]);
  });
});

describe('3.27 Null in a variable with a default', () => {
  const series = (selection: string) => `results { series { nodes { ${selection} } } }`;

  it.each<[type: string, selection: string, argument: string, path: (string | number)[]]>([
    [
      'Int = 0',
      series('rows(offset: $null) { valueDate }'),
      '"offset" of non-null type "Int!"',
      ['results', 'series', 'nodes', 0, 'rows'],
    ],
    [
      'ResultsFileLayout = LONG',
      'results { rowsFile(format: CSV, layout: $null) { url } }',
      '"layout" of non-null type "ResultsFileLayout!"',
      ['results', 'rowsFile'],
    ],
    ...[
      ['name download { method @include(if: $null) }', ['download']] as const,
      [series('version @skip(if: $null)'), ['results', 'series', 'nodes', 0]] as const,
      [series('rows { metrics { name @skip(if: $null) } }'), ['results', 'series', 'nodes', 0, 'rows']] as const,
      [
        series('asset { parent { asset { name @skip(if: $null) } } }'),
        ['results', 'series', 'nodes', 0, 'asset', 'parent', 'asset'],
      ] as const,
      ['results { byDate { dates @skip(if: $null) } }', ['results', 'byDate']] as const,
    ].map(([selection, path]): [string, string, string, (string | number)[]] => [
      'Boolean = true',
      selection,
      '"if" of non-null type "Boolean!"',
      [...path],
    ]),
  ])('%s: %s', async (type, selection, argument, path) => {
    const bed = await start();
    const document = `query ($null: ${type}) { dataset(id: "${DATASET_ID}") { ${selection} } }`;
    const { status, body } = await askTwice(bed, document, { null: null });
    expect([status, body.errors[0]]).toMatchObject([
      200,
      {
        message: `Argument ${argument} must not be null.`,
        path: ['dataset', ...path],
        extensions: { code: 'BAD_USER_INPUT' },
      },
    ]);
    expect(bed.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  it('is no error if nothing depends on it: a fragment that was spread before, the other directive, or no object', async () => {
    const bed = await start();
    const fields = `name download @skip(if: true) @include(if: $b) { url }
      results(filter: { assetIds: [] }) { series { nodes { version @skip(if: $b) } } }`;
    const document = `query ($b: Boolean = true) { ...F ...F @include(if: $b) } fragment F on Query { dataset(id: "${DATASET_ID}") { ${fields} } }`;
    const { body } = await askTwice(bed, document, { b: null });
    expect(body).toEqual({ data: { dataset: { name: 'Soil moisture', results: { series: { nodes: [] } } } } });
  });
});
