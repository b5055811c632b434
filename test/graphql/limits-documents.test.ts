import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type Answer, DATASET_ID, ofDataset, start, times } from '../support/harness.ts';
import { json, typenameData } from '../support/http.ts';
import { expectExecuted, expectRefused, refused } from '../support/limits.ts';

/** A type, as introspection shows it. */
interface SchemaType {
  name: string;
  fields: object[] | null;
}

/*
 * Clause 3.27 of docs/contract.md in detail.
 * Limits of one operation. The message of the error, `REQUEST_LIMIT_EXCEEDED`, names the limit. A document that exceeds
 * one of the first five, or has too many fields, is rejected as a whole with the status 400, before validation. Each
 * fragment is visited once, and counts wherever it is spread. For the other limits, the field that exceeds the limit
 * fails.
 *
 * limit / value:
 * - tokens of a document: `MAX_DOCUMENT_TOKENS`, 10,000; and nesting that the parser cannot follow
 * - lines of a document, with those of comments and block strings: `MAX_DOCUMENT_TOKENS`, 10,000
 * - levels of selections; each fragment is one: 30 (introspection by tools has 18)
 * - root fields: 100
 * - aliases: `MAX_ALIASES`, 500
 * - different entity references, in all `_entities` fields; beyond it, each of the field is null, with one error:
 *   `MAX_REPRESENTATIONS`, 5000
 * - datasets named, in all `dataset` and `datasetsByIds` fields: 1000
 * - fields, with fragments expanded: `MAX_DOCUMENT_TOKENS`, 10,000
 * - work: `MAX_OPERATION_WORK`, 268,435,456
 * - metric names in one argument: 1000
 * - asset ids in all filters, for each dataset of a list: 10,000
 * - `results` and `series` selected, on all requested datasets and assets: 5000
 * - different time ranges: 100
 * - the SDL in `_service`, under all aliases: 5 times
 * - errors in a response; one more says how many were omitted: 1000, with 65,536 characters of messages and as many of
 *   names in paths
 * - errors of variables: 50
 * - characters of a message; locations of an error, of that of a field: 1000; 10, 1
 * - characters of a value or name that a message quotes, and keys of an object: 200; 10
 * - values of the schema by introspection, where a variable names a type those of all types: 15,000
 * - comparisons of fields that are selected again under the same name: 125,500 (a field 500 times; with arguments or a
 *   selection 118 times and more; 125 fragments)
 */
describe('3.27 Limits on documents', () => {
  const tokens = 'The document has more than 10000 tokens (MAX_DOCUMENT_TOKENS).';
  const lines = 'The document has more than 10000 lines (MAX_DOCUMENT_TOKENS).';
  const aliases = 'The operation has more than 500 aliases (MAX_ALIASES).';
  const levels = 'The operation has more than 30 levels of selections and fragments.';
  const repeated = 'The document selects fields under the same name too often.';
  const rootFields = 'The operation has more than 100 root fields.';

  it('10000 tokens, and no more', async () => {
    const bed = await start();
    const document = (count: number) => `{ dataset(id: [${'1 '.repeat(count - 12)}]) { id } }`;
    const { status, body } = await bed.query(document(10_000));
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
    await expectRefused(bed, document(10_001), tokens);
  });

  it.each([
    ['LF', '\n'],
    ['CR', '\r'],
    ['CR and LF', '\r\n'],
  ])('10000 lines, and no more, also of a document that is not valid: ended by %s', async (_title, end) => {
    const bed = await start();
    const document = (lines: number, field = '__typename') => `{${end.repeat(lines - 1)}${field} }`;
    await expectExecuted(bed, document(10_000));
    await expectRefused(bed, document(10_001), lines);
    await expectRefused(bed, document(10_001, 'unknown'), lines);
  });

  it('lines of comments and of block strings count, and long documents have room for them', async () => {
    const bed = await start();
    const document = (comments: number) =>
      `{ ${'# which field, and why\n'.repeat(comments)} dataset(id: """${'\n'.repeat(4000)}${DATASET_ID}""") { id } }`;
    expect((await expectExecuted(bed, document(5999))).body).toEqual({ data: { dataset: { id: DATASET_ID } } });
    await expectRefused(bed, document(6000), lines);
  });

  it('lines are limited for GET requests and for traced ones, too', async () => {
    const bed = await start({ env: { MAX_DOCUMENT_TOKENS: '9', FEDERATED_TRACING: 'on' } });
    const response = async (request: Promise<Answer>) => {
      const { status, body } = await request;
      return [status, body];
    };
    const document = (count: number) => `{${'\n'.repeat(count - 1)}__typename}`;
    const refusedResponse = [400, refused('The document has more than 9 lines (MAX_DOCUMENT_TOKENS).')];
    const get = (count: number) =>
      response(bed.http(`/graphql?query=${encodeURIComponent(document(count))}`, { headers: json }));
    expect(await get(9)).toEqual([200, typenameData]);
    expect(await get(10)).toEqual(refusedResponse);
    const headers = { 'apollo-federation-include-trace': 'ftv1' };
    expect(await response(bed.query(document(9), { headers }))).toMatchObject([200, typenameData]);
    expect(await response(bed.query(document(10), { headers }))).toMatchObject(refusedResponse);
  });

  it('500 aliases, and no more, at whatever depth', async () => {
    const bed = await start();
    const spread = (count: number) => ofDataset(`id ${times(count, (index) => `a${index}: id`)}`);
    await expectExecuted(bed, spread(500));
    await expectRefused(bed, spread(501), aliases);
  });

  it('the aliases of a fragment count wherever it is spread', async () => {
    const bed = await start();
    const document = (count: number) =>
      `{ ${times(10, (index) => `d${index}: dataset(id: "a") { ...F }`)} } fragment F on Dataset { id ${times(count, (index) => `a${index}: id`)} }`;
    await expectExecuted(bed, document(49));
    await expectRefused(bed, document(50), aliases);
  });

  it('a fragment is looked at once, however often it comes to be spread', async () => {
    const bed = await start();
    const fan = times(
      400,
      (index) => `fragment F${index} on Query { a${index}: __typename ...F${index + 1} ...F${index + 1} }`,
    );
    await expectRefused(bed, `{ ...F0 } ${fan} fragment F400 on Query { b: __typename }`, levels);
    const shallow = times(
      28,
      (index) => `fragment F${index} on Query { a${index}: __typename ...F${index + 1} ...F${index + 1} }`,
    );
    await expectRefused(bed, `{ ...F0 } ${shallow} fragment F28 on Query { b: __typename }`, rootFields);
  });

  it.each<[string, (levels: number) => string]>([
    [
      'fields',
      (count) => {
        const pairs = (count - 6) / 2;
        return `{ dataset(id: "${DATASET_ID}") { results { series { nodes { ${'asset { series { '.repeat(pairs)} version ${'} }'.repeat(pairs)} } } } } }`;
      },
    ],
    ['inline fragments', (count) => `{ ${'... { '.repeat(count - 1)} __typename ${'}'.repeat(count - 1)} }`],
    [
      'fragments',
      (count) =>
        `{ ...F2 } ${times(count - 1, (index) => `fragment F${index + 2} on Query { __typename ${index + 2 < count ? `...F${index + 3}` : ''} }`)}`,
    ],
  ])('30 levels of %s, and no more', async (kind, document) => {
    const bed = await start();
    await expectExecuted(bed, document(30));
    bed.simulator.clear();
    await expectRefused(bed, document(kind === 'fields' ? 32 : 31), levels);
  });

  it('100 fields on the root, in fragments too, and no more', async () => {
    const bed = await start();
    const document = (count: number) =>
      `{ ...F ... { __typename } ${'__typename '.repeat(count - 2)} } fragment F on Query { __typename }`;
    await expectExecuted(bed, document(100));
    await expectRefused(bed, document(101), rootFields);
  });

  it.each<[string, string]>([
    ['lists', `{ dataset(id: ${'['.repeat(100_000)}1${']'.repeat(100_000)}) { id } }`],
    ['objects', `{ dataset(id: ${'{ a: '.repeat(100_000)}1${'}'.repeat(100_000)}) { id } }`],
  ])('what is too deep for the parser is refused as such: %s', async (_title, document) => {
    const bed = await start({ env: { MAX_DOCUMENT_TOKENS: '1000000' } });
    await expectRefused(bed, document, 'The document is nested too deeply to be parsed.');
  });

  it.each<[string, number, (count: number) => string]>([
    ['in one selection', 500, (count) => ofDataset('name '.repeat(count))],
    [
      'in inline fragments and in others',
      499,
      (count) =>
        `{ dataset(id: "${DATASET_ID}") { ...F ... { ${'name '.repeat(count - 300)} } } } fragment F on Dataset { ${'name '.repeat(300)} }`,
    ],
    [
      'below fields of one name',
      499,
      (count) =>
        ofDataset(
          `results { sourceId } results { ${'sourceId '.repeat(300)} } results { ${'sourceId '.repeat(count - 301)} }`,
        ),
    ],
    ['with selections of their own', 118, (count) => ofDataset('asset(assetId: "a") { assetId } '.repeat(count))],
    [
      'with selections that have nothing in common',
      112,
      (count) =>
        ofDataset(
          times(count, (index) => `asset(assetId: "a") { ${times(4, (field) => `f${index}x${field}: assetId`)} }`),
        ),
    ],
    [
      'with arguments',
      125,
      (count) => ofDataset(`asset(assetId: "a") { series { rows { ${'value(metric: "m") '.repeat(count)} } } }`),
    ],
    [
      'in fragments, each of which is compared with the others',
      125,
      (count) =>
        `{ dataset(id: "${DATASET_ID}") { ${times(count, (index) => `...F${index}`)} } } ${times(count, (index) => `fragment F${index} on Dataset { f${index}: id }`)}`,
    ],
  ])('a field is selected often under one name, and no more: %s', async (_title, most, document) => {
    const bed = await start({ env: { DOWNLOAD_TICKET_SECRET: 's'.repeat(32) } });
    await expectExecuted(bed, document(most));
    bed.simulator.clear();
    await expectRefused(bed, document(most + 1), repeated);
  });

  it('a field that is selected too often is refused before validation, also in a fragment that nobody uses', async () => {
    const bed = await start();
    const names = 'name '.repeat(501);
    await expectRefused(bed, `{ unknown } fragment F on Dataset { ${names} }`, repeated);
    const both = (index: number) => `dataset { asset(assetId: "a") { ...F${index} } } `.repeat(2);
    const fan = times(28, (index) => `fragment F${index} on Asset { name ${both(index + 1)} }`);
    await expectRefused(bed, `{ unknown } ${fan}`, repeated);
  });

  it('a fragment that spreads itself is left to validation', async () => {
    const bed = await start();
    const { status, body } = await bed.query('{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }');
    expect(status).toBe(400);
    expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  });

  it('are settings: MAX_DOCUMENT_TOKENS and MAX_ALIASES', async () => {
    const bed = await start({ env: { MAX_DOCUMENT_TOKENS: '9', MAX_ALIASES: '1' } });
    await expectExecuted(bed, '{ a: __typename __typename }');
    await expectRefused(bed, '{ a: __typename b: __typename }', 'The operation has more than 1 aliases (MAX_ALIASES).');
    const long = 'The document has more than 9 tokens (MAX_DOCUMENT_TOKENS).';
    await expectRefused(
      bed,
      '{ __typename __typename __typename __typename __typename __typename __typename __typename }',
      long,
    );
  });

  const ofTools = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
  });

  it('leave the introspection of tools alone', async () => {
    await expectExecuted(await start(), ofTools);
  });

  const withTools = (count: number) =>
    `{ ${times(count, (index) => `a${index}: __schema { ...S }`)} } fragment S on __Schema ${ofTools.slice(ofTools.indexOf('__schema') + 8).replace(/\}\s*fragment FullType/, ' fragment FullType')}`;

  it('leave a few of them alone', async () => {
    const bed = await start();
    await expectExecuted(bed, withTools(4));
    await expectRefused(bed, withTools(5), 'The operation asks for more than 15000 values of the schema.');
  });

  /** So many values on each field of a type. */
  const onFields = (count: number) =>
    `fields(includeDeprecated: true) { ${times(count, (index) => `f${index}: name`)} }`;
  /** The types, and their fields with so many values each. */
  const sizeOf = (types: SchemaType[], count: number) =>
    types.reduce((sum, { fields }) => sum + 1 + (fields?.length ?? 0) * (1 + count), 0);
  it.each<[string, (types: SchemaType[], count: number) => number, (count: number) => string]>([
    [
      'of all types',
      (types, count) => 1 + sizeOf(types, count),
      (count) => `{ __schema { types { ${onFields(count)} } } }`,
    ],
    [
      'of one type',
      (types, count) =>
        sizeOf(
          types.filter(({ name }) => name === 'Asset'),
          count,
        ),
      (count) => `{ __type(name: "Asset") { ${onFields(count)} } }`,
    ],
    [
      'of a type that a variable names, which may be any',
      sizeOf,
      (count) =>
        `query ($name: String! = "Int") { ...T } fragment T on Query { __type(name: $name) { ${onFields(count)} } }`,
    ],
  ])('15000 values of the schema, and no more: %s', async (_title, valuesOf, document) => {
    const bed = await start({ env: { MAX_ALIASES: '2000' } });
    const { body } = await expectExecuted(
      bed,
      '{ __schema { types { name fields(includeDeprecated: true) { name } } } }',
    );
    const { types } = body.data.__schema;
    const most = Array.from({ length: 2000 }, (_, count) => count).findLast(
      (count) => valuesOf(types, count) <= 15_000,
    );
    await expectExecuted(bed, document(most ?? 0));
    await expectRefused(bed, document((most ?? 0) + 1), 'The operation asks for more than 15000 values of the schema.');
  });
});
