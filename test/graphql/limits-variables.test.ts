import { describe, expect, it } from 'vitest';
import { DATASET_ID, start, type TestBed } from '../support/harness.ts';

const withFilter =
  'query ($filter: ResultsFilterInput) { dataset(id: "d") { results(filter: $filter) { processingId } } }';

/** The response to a new document, and to the same when it is known. */
async function askTwice(bed: TestBed, document: string, variables: Record<string, unknown>) {
  const first = await bed.query(document, { variables });
  // A document is known when it was executed once, with whatever variables.
  const again = await bed.query(document, { variables });
  expect(again.body).toEqual(first.body);
  expect(again.status).toBe(first.status);
  return first;
}

/** An object with so many keys. */
const wide = (keys: number) => Object.fromEntries(Array.from({ length: keys }, (_, index) => [`key${index}`, 1]));

/*
 * Clause 3.27 of docs/contract.md in detail: variables and errors.
 * Null is `BAD_USER_INPUT` where a variable with a default value has it in place of a non-null argument: at the field of the
 * argument, or at each object whose selection has the condition, if it is that of `@skip` or `@include`; of what needs rows, at the
 * whole field.
 *
 * A field that exceeds the limit is null with the error; everything written before it is sent. An invalid argument
 * makes only its field null. Errors beyond the limit are counted and not created.
 */
describe('3.27 Invalid variables', () => {
  it.each<[string, unknown, string]>([
    ['many unknown keys', wide(50_000), 'Field "key0" is not defined by type "ResultsFilterInput".'],
    [
      'many unknown keys further in',
      { timeRange: wide(50_000) },
      'Field "key0" is not defined by type "TimeRangeInput".',
    ],
    ['a long unknown key', { ['x'.repeat(500_000)]: 1 }, `Field "${'x'.repeat(200)}…" is not defined`],
    ['an object as an id', { assetIds: [wide(50_000)] }, 'An ID must be a text, or an integer'],
    ['a long text', { timeRange: { start: 'x'.repeat(500_000) } }, 'A point in time must be an integer'],
    [
      'deep lists',
      { timeRange: JSON.parse('['.repeat(2000) + ']'.repeat(2000)) },
      'Expected type "TimeRangeInput" to be',
    ],
  ])('%s make errors that are short', async (_title, filter, message) => {
    const bed = await start();
    const { status, text, body } = await askTwice(bed, withFilter, { filter });
    expect(status).toBe(200);
    expect(body.errors[0]).toMatchObject({
      message: expect.stringContaining(message),
      extensions: { code: 'BAD_USER_INPUT' },
    });
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

  it('are quoted as they are where they are short', async () => {
    const bed = await start();
    const { body } = await askTwice(bed, withFilter, { filter: { assetId: ['a'], timeRange: null } });
    expect(body).toEqual({
      errors: [
        {
          message:
            'Variable "$filter" got invalid value { assetId: ["a"], timeRange: null }; Field "assetId" is not defined by type "ResultsFilterInput". Did you mean "assetIds"?',
          locations: [{ line: 1, column: 8 }],
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ],
    });
  });

  it('with a hundred keys are looked at, and references to entities may have more', async () => {
    const bed = await start();
    const references = [{ __typename: 'Dataset', id: DATASET_ID, ...wide(150) }];
    const document =
      'query ($references: [_Any!]!) { _entities(representations: $references) { ... on Dataset { id } } }';
    expect((await askTwice(bed, document, { references })).body).toEqual({
      data: { _entities: [{ id: DATASET_ID }] },
    });
    for (const keys of [100, 101]) {
      const { body } = await askTwice(bed, withFilter, { filter: wide(keys) });
      expect(body.errors[0].message).toContain('Field "key0" is not defined');
    }
  });
});

describe('3.27 Errors of a response', () => {
  it('have at most 64 kB of messages', async () => {
    const bed = await start();
    const document = `{ ${Array.from({ length: 90 }, (_, index) => `a${index}: ${'x'.repeat(9_000)}${index}`).join(' ')} }`;
    const { text, body } = await bed.query(document);
    expect(text.length).toBeLessThan(2 ** 17);
    expect(body.errors[0].message).toMatch(/^Cannot query field "x{200}…" on type "Query"\./);
  });

  it('have at most 64 kB of names in paths', async () => {
    const bed = await start();
    const alias = 'x'.repeat(30_000);
    const references = Array.from({ length: 500 }, () => ({ __typename: 'Dataset' }));
    const document = `query ($references: [_Any!]!) { ${alias}: _entities(representations: $references) { __typename } }`;
    const { text, body } = await bed.query(document, { variables: { references } });
    expect(body.errors).toHaveLength(4);
    expect(body.errors[3].message).toBe('A response has at most 65536 characters of errors; 497 more are omitted.');
    expect(text.length).toBeLessThan(2 ** 18);
  });
});

describe('3.27 Null in a variable with a default', () => {
  const mustNotBeNull = (name: string, type: string) =>
    `Argument "${name}" of non-null type "${type}" must not be null.`;

  it.each<[string, string, string, (string | number)[]]>([
    [
      'Int',
      'results { series { nodes { rows(offset: $value) { valueDate } } } }',
      mustNotBeNull('offset', 'Int!'),
      ['results', 'series', 'nodes', 0, 'rows'],
    ],
    [
      'ResultsFileLayout',
      'results { rowsFile(format: CSV, layout: $value) { url } }',
      mustNotBeNull('layout', 'ResultsFileLayout!'),
      ['results', 'rowsFile'],
    ],
    [
      '[Float!]',
      'results { seriesStatisticsFile(format: CSV, quantiles: $value) { url } }',
      mustNotBeNull('quantiles', '[Float!]!'),
      ['results', 'seriesStatisticsFile'],
    ],
    ['Boolean', 'name download { method @include(if: $value) }', mustNotBeNull('if', 'Boolean!'), ['download']],
    [
      'Boolean',
      'results { series { nodes { version @skip(if: $value) } } }',
      mustNotBeNull('if', 'Boolean!'),
      ['results', 'series', 'nodes', 0],
    ],
    [
      'Boolean',
      'results { series { nodes { rows { metrics { name @skip(if: $value) } } } } }',
      mustNotBeNull('if', 'Boolean!'),
      ['results', 'series', 'nodes', 0, 'rows'],
    ],
    [
      'Boolean',
      'asset(assetId: "a") { series { rows { valueDate @skip(if: $value) } } }',
      mustNotBeNull('if', 'Boolean!'),
      ['asset', 'series', 'rows'],
    ],
  ])('%s: %s', async (type, selection, message, path) => {
    const bed = await start();
    const defaults: Record<string, string> = {
      Int: '0',
      ResultsFileLayout: 'LONG',
      '[Float!]': '[]',
      Boolean: 'true',
    };
    const document = `query ($value: ${type} = ${defaults[type]}) { dataset(id: "${DATASET_ID}") { ${selection} } }`;
    const { status, body } = await askTwice(bed, document, { value: null });
    expect(status).toBe(200);
    expect(body.errors[0]).toMatchObject({
      message,
      path: ['dataset', ...path],
      extensions: { code: 'BAD_USER_INPUT' },
    });
    expect(bed.log.filter((line) => JSON.parse(line).level >= 50)).toEqual([]);
  });

  it('a fragment that was spread before is not looked at again', async () => {
    const bed = await start();
    const document = `query ($b: Boolean = true) { ...F ...F @include(if: $b) } fragment F on Query { dataset(id: "${DATASET_ID}") { name } }`;
    const { body } = await askTwice(bed, document, { b: null });
    expect(body).toEqual({ data: { dataset: { name: 'Soil moisture' } } });
  });
});

describe('3.15 A cursor that cannot be one', () => {
  const page = (selection: string) =>
    `query ($after: String) { dataset(id: "${DATASET_ID}") { results { ${selection} series(after: $after) { totalCount } } } }`;
  const refused = {
    message: 'The cursor does not belong to these results.',
    path: ['dataset', 'results', 'series'],
    extensions: { code: 'BAD_USER_INPUT' },
  };

  it('costs no call', async () => {
    const bed = await start();
    for (const after of ['x', '', 'x'.repeat(100_000), Buffer.from('["1",]').toString('base64url')]) {
      const { body } = await askTwice(bed, page(''), { after });
      expect(body).toMatchObject({ data: { dataset: { results: { series: null } } }, errors: [refused] });
    }
    expect(bed.calls()).toEqual([]);
  });

  it('makes only its own field null, and what else needs the results makes the call', async () => {
    const bed = await start();
    const { body } = await bed.query(page('processingId'), { variables: { after: 'x' } });
    expect(body).toMatchObject({
      data: { dataset: { results: { processingId: 'p-1', series: null } } },
      errors: [refused],
    });
    expect(bed.calls()).toHaveLength(1);
  });
});
