import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, ofDataset, start, times } from '../support/harness.ts';
import { json, typenameData } from '../support/http.ts';
import { expectExecuted, expectRefused, refused } from '../support/limits.ts';

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
  const fields = 'The operation has more than 10000 fields, with fragments expanded (MAX_DOCUMENT_TOKENS).';
  const aliases = 'The operation has more than 500 aliases (MAX_ALIASES).';
  const levels = 'The operation has more than 30 levels of selections and fragments.';
  const repeated = 'The document selects fields under the same name too often.';
  const rootFields = 'The operation has more than 100 root fields.';
  const introspection = 'The operation asks for more than 15000 values of the schema.';

  const tools = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
  });
  const ofTools = tools.slice(tools.indexOf('__schema') + 8).replace(/\}\s*fragment FullType/, ' fragment FullType');

  const limits: [title: string, most: number, message: string, document: (count: number) => string][] = [
    [
      'tokens',
      10_000,
      tokens,
      (n) => ofDataset(`results(filter: { assetIds: [${'"a" '.repeat(n - 35)}] }) { sourceId }`),
    ],
    ['lines, ended by LF', 10_000, lines, (n) => `{${'\n'.repeat(n - 1)}__typename }`],
    ['lines, ended by CR', 10_000, lines, (n) => `{${'\r'.repeat(n - 1)}__typename }`],
    ['lines, ended by CR and LF', 10_000, lines, (n) => `{${'\r\n'.repeat(n - 1)}__typename }`],
    [
      'lines of comments and of a block string',
      10_000,
      lines,
      (n) => `{ ${'# why\n'.repeat(n - 4001)} dataset(id: """${'\n'.repeat(4000)}${DATASET_ID}""") { id } }`,
    ],
    [
      'fields, here a hundred times, with fragments put in',
      99,
      fields,
      (n) =>
        `{ ${times(100, (at) => `d${at}: dataset(id: "a") { ...F }`)} } fragment F on Dataset { ${'id '.repeat(n)} }`,
    ],
    ['aliases', 500, aliases, (n) => ofDataset(`id ${times(n, (at) => `a${at}: id`)}`)],
    [
      'aliases of a fragment, which count wherever it is spread, here ten times',
      49,
      aliases,
      (n) =>
        `{ ${times(10, (at) => `d${at}: dataset(id: "a") { ...F }`)} } fragment F on Dataset { id ${times(n, (at) => `a${at}: id`)} }`,
    ],
    [
      'pairs of levels of fields, below six others',
      12,
      levels,
      (n) => ofDataset(`results { series { nodes { ${'asset { series { '.repeat(n)} version ${'} }'.repeat(n)} } } }`),
    ],
    ['levels of inline fragments', 30, levels, (n) => `{ ${'... { '.repeat(n - 1)} __typename ${'}'.repeat(n - 1)} }`],
    [
      'levels of fragments',
      30,
      levels,
      (n) =>
        `{ ...F2 } ${times(n - 1, (at) => `fragment F${at + 2} on Query { __typename ${at + 2 < n ? `...F${at + 3}` : ''} }`)}`,
    ],
    [
      'root fields, in fragments too',
      100,
      rootFields,
      (n) => `{ ...F ... { __typename } ${'__typename '.repeat(n - 2)} } fragment F on Query { __typename }`,
    ],
    ['fields under one name', 500, repeated, (n) => ofDataset('name '.repeat(n))],
    [
      'fields under one name, below fields of one name, in fragments',
      499,
      repeated,
      (n) =>
        `${ofDataset(`results { sourceId } results { ...F } results { ... { ${'sourceId '.repeat(n - 301)} } }`)} fragment F on DatasetResults { ${'sourceId '.repeat(300)} }`,
    ],
    [
      'fields under one name, with selections that have nothing in common',
      112,
      repeated,
      (n) => ofDataset(times(n, (at) => `asset(assetId: "a") { ${times(4, (field) => `f${at}x${field}: assetId`)} }`)),
    ],
    [
      'fields under one name, with arguments',
      125,
      repeated,
      (n) => ofDataset(`asset(assetId: "a") { series { rows { ${'value(metric: "m") '.repeat(n)} } } }`),
    ],
    [
      'fragments, each of which is compared with the others',
      125,
      repeated,
      (n) =>
        `{ dataset(id: "${DATASET_ID}") { ${times(n, (at) => `...F${at}`)} } } ${times(n, (at) => `fragment F${at} on Dataset { f${at}: id }`)}`,
    ],
    [
      'queries of tools for the schema',
      4,
      introspection,
      (n) => `{ ${times(n, (at) => `a${at}: __schema { ...S }`)} } fragment S on __Schema ${ofTools}`,
    ],
  ];

  it('are these, and no more', async () => {
    const bed = await start();
    for (const [title, most, message, document] of limits) {
      const { body } = await bed.query(document(most));
      expect([title, body.errors]).toEqual([title, undefined]);
      bed.simulator.clear();
      await expectRefused(bed, document(most + 1), message);
    }
  });

  it.each<[title: string, of: RegExp, document: (onType: string) => string]>([
    ['of one type', /^Asset$/, (onType) => `{ __type(name: "Asset") { ${onType} } }`],
    [
      'of a type that a variable names, which may be any',
      /./,
      (onType) => `query ($name: String! = "Int") { ...T } fragment T on Query { __type(name: $name) { ${onType} } }`,
    ],
  ])('15000 values of the schema, and no more: %s', async (_title, of, document) => {
    const bed = await start({ env: { MAX_ALIASES: '2000' } });
    const { body } = await expectExecuted(
      bed,
      '{ __schema { types { name fields(includeDeprecated: true) { name } } } }',
    );
    const types: { name: string; fields: object[] | null }[] = body.data.__schema.types;
    const counted = types.filter(({ name }) => of.test(name));
    const fieldCount = counted.reduce((sum, { fields }) => sum + (fields?.length ?? 0), 0);
    const most = Math.floor((15_000 - counted.length) / fieldCount) - 1;
    const withValues = (count: number) =>
      document(`fields(includeDeprecated: true) { ${times(count, (index) => `f${index}: name`)} }`);
    await expectExecuted(bed, withValues(most));
    await expectRefused(bed, withValues(most + 1), introspection);
  });

  it('are for GET requests and for traced ones, too, and are settings', async () => {
    const env = { MAX_DOCUMENT_TOKENS: '9', MAX_ALIASES: '1', FEDERATED_TRACING: 'on' };
    const bed = await start({ env });
    const get = (document: string) => bed.http(`/graphql?query=${encodeURIComponent(document)}`, { headers: json });
    const traced = (document: string) =>
      bed.query(document, { headers: { 'apollo-federation-include-trace': 'ftv1' } });
    const ofLines = (count: number) => `{${'\n'.repeat(count - 1)}__typename}`;
    const message = 'The document has more than 9 lines (MAX_DOCUMENT_TOKENS).';
    for (const ask of [get, traced, bed.query]) {
      expect(await ask(ofLines(9))).toMatchObject({ status: 200, body: typenameData });
      expect(await ask(ofLines(10))).toMatchObject({ status: 400, body: refused(message) });
    }
    await expectExecuted(bed, '{ a: __typename __typename }');
    await expectRefused(bed, '{ a: __typename b: __typename }', 'The operation has more than 1 aliases (MAX_ALIASES).');
    const long = `{ ${'__typename '.repeat(8)} }`;
    await expectRefused(bed, long, 'The document has more than 9 tokens (MAX_DOCUMENT_TOKENS).');
  });

  it.each<[string, string]>([
    ['lists', `{ dataset(id: ${'['.repeat(100_000)}1${']'.repeat(100_000)}) { id } }`],
    ['objects', `{ dataset(id: ${'{ a: '.repeat(100_000)}1${'}'.repeat(100_000)}) { id } }`],
  ])('what is too deep for the parser is refused as such: %s', async (_title, document) => {
    const bed = await start({ env: { MAX_DOCUMENT_TOKENS: '1000000' } });
    await expectRefused(bed, document, 'The document is nested too deeply to be parsed.');
  });

  it('are checked before validation, and a fragment is looked at once, however often it is spread', async () => {
    const bed = await start();
    await expectRefused(bed, `{${'\n'.repeat(10_000)}unknown }`, lines);
    await expectRefused(bed, `{ unknown } fragment F on Dataset { ${'name '.repeat(501)} }`, repeated);
    const both = (index: number) => `dataset { asset(assetId: "a") { ...F${index} } } `.repeat(2);
    await expectRefused(
      bed,
      `{ unknown } ${times(28, (at) => `fragment F${at} on Asset { name ${both(at + 1)} }`)}`,
      repeated,
    );
    const fan = (count: number) => {
      const spreads = times(
        count,
        (at) => `fragment F${at} on Query { a${at}: __typename ...F${at + 1} ...F${at + 1} }`,
      );
      return `{ ...F0 } ${spreads} fragment F${count} on Query { b: __typename }`;
    };
    await expectRefused(bed, fan(400), levels);
    await expectRefused(bed, fan(28), rootFields);
    // One that spreads itself is left to validation.
    const { status, body } = await bed.query('{ ...F } fragment F on Query { ...G } fragment G on Query { ...F }');
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'GRAPHQL_VALIDATION_FAILED']);
  });
});
