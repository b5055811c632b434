import fc from 'fast-check';
import {
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { createSchema } from '../src/graphql/schema.ts';
import { ASSET_IDS } from './fast-path-selections.ts';
import { DATASET_ID } from './harness.ts';

/**
 * Random requests of every kind: documents made from the schema alone, the same ones broken, variables of all shapes,
 * and HTTP requests that no client would send.
 */

const schema = createSchema();

/** Texts with which programs have had trouble. */
const odd = fc.constantFrom(
  '',
  '.',
  '..',
  '%2e%2e',
  '../../x',
  'a/b?c#d',
  '\u0000',
  '\ud800',
  '\u202e',
  '__proto__',
  'constructor',
  'x'.repeat(201),
  "'; --",
  '\r\nx: y',
  '9223372036854775808',
  '-9223372036854775808',
  '2024-02-30T00:00:00Z',
  '2024-01-01T00:00:00Z',
  'W10',
);

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(DATASET_ID, ...ASSET_IDS, 'm') },
  { weight: 2, arbitrary: odd },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
);

const number = fc.oneof(
  fc.constantFrom('0', '-0', '-1', '1', '2', '2147483647', '2147483648', '1.5', '1e400', '9007199254740993'),
  fc.integer().map(String),
);

/** A value as GraphQL text, of any kind. */
const anyValue: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text.map((value) => JSON.stringify(value)),
    number,
    fc.constantFrom('true', 'null', 'MILLISECONDS', 'NO_SUCH', '$id', '$none', '"""block"""'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' ')}]`),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `{${items.map((item, index) => `k${index}: ${item}`)}}`),
  ),
})).value;

/** A value of a type, as GraphQL text; now and then of another. */
function valueFor(type: GraphQLInputType): fc.Arbitrary<string> {
  return fc.oneof({ weight: 60, arbitrary: usualValue(type) }, { weight: 1, arbitrary: anyValue });
}

function usualValue(type: GraphQLInputType): fc.Arbitrary<string> {
  if (isNonNullType(type)) return usualValue(type.ofType);
  if (isListType(type)) return fc.array(valueFor(type.ofType), { maxLength: 4 }).map((items) => `[${items.join(' ')}]`);
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) =>
      fc.option(valueFor(field.type).map((value) => `${field.name}: ${value}`)),
    );
    return fc.tuple(...fields).map((parts) => `{${parts.filter((part) => part !== null).join(' ')}}`);
  }
  if (type.name === 'Int')
    return fc.oneof({ weight: 20, arbitrary: fc.integer().map(String) }, { weight: 1, arbitrary: number });
  if (type.name === 'EpochMillis')
    return fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('0', '1', '-1', '"2024-01-01T00:00:00Z"', '"9223372036854775807"') },
      { weight: 1, arbitrary: number },
    );
  if (type.name === '_Any') {
    return fc
      .tuple(fc.constantFrom(...Array(9).fill('Dataset'), ...Array(9).fill('Asset'), 'Metric'), text, text)
      .map(
        ([name, id, asset]) =>
          `{__typename: "${name}" id: ${JSON.stringify(id)} datasetId: ${JSON.stringify(DATASET_ID)} assetId: ${JSON.stringify(asset)}}`,
      );
  }
  return fc.oneof(
    { weight: type.name === 'ID' ? 4 : 0, arbitrary: fc.constant('$id') },
    { weight: 3, arbitrary: text.map((t) => JSON.stringify(t)) },
  );
}

const decoration = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(' @skip(if: false)', ' @include(if: true)', ' @skip(if: true)') },
);
const alias = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('a: ', 'b: ', '__proto__: ', 'constructor: ', 'then: ', 'errors: ') },
);

/** A selection set on a type of the schema. */
function selectionOn(type: GraphQLOutputType, depth: number): fc.Arbitrary<string> {
  const named = getNamedType(type);
  if (isUnionType(named)) {
    const parts = named.getTypes().map((part) => selectionOn(part, depth).map((set) => `... on ${part.name} ${set}`));
    return fc.tuple(...parts).map((chosen) => `{ __typename ${chosen.join(' ')} }`);
  }
  if (!isObjectType(named)) return fc.constant('');
  const fields = Object.values(named.getFields()).filter(
    ({ type: fieldType }) => depth > 0 || !isObjectType(getNamedType(fieldType)),
  );
  if (fields.length === 0) return fc.constant('{ __typename }');
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(5, fields.length) })
    .chain((chosen) => fc.tuple(fc.constantFrom('', '__typename '), ...chosen.map((field) => fieldOf(field, depth))))
    .map((parts) => `{ ${parts.join(' ')} }`);
}

function fieldOf(field: ReturnType<GraphQLObjectType['getFields']>[string], depth: number): fc.Arbitrary<string> {
  const args = field.args.map((argument) => {
    const given = valueFor(argument.type).map((value) => `${argument.name}: ${value}`);
    return isNonNullType(argument.type) ? given : fc.option(given);
  });
  return fc
    .tuple(alias, fc.tuple(...args), decoration, selectionOn(field.type, depth - 1))
    .map(([name, given, directives, set]) => {
      const list = given.filter((argument) => argument !== null);
      return `${name}${field.name}${list.length === 0 ? '' : `(${list.join(' ')})`}${directives} ${set}`;
    });
}

const query = schema.getQueryType();
if (query === null || query === undefined) throw new Error('The schema has no queries.');

/** Operations of the schema, most of them valid. */
const operations = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: selectionOn(query, 6) },
      { weight: 1, arbitrary: fc.constant('{ __schema { types { name fields { name } } } }') },
      { weight: 1, arbitrary: fc.constant('{ _service { sdl } __type(name: "Dataset") { name } }') },
    ),
    fc.boolean(),
  )
  .map(([set, inFragment]) =>
    inFragment
      ? `query ($id: ID! = "${DATASET_ID}") { ...F } fragment F on Query ${set}`
      : `query ($id: ID! = "${DATASET_ID}") ${set}`,
  );

const junk = fc.constantFrom(
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '$',
  '...',
  '@',
  ':',
  '"',
  '"""',
  '#',
  '\u0000',
  '\ufeff',
  'mutation',
  'fragment F on Query { ...F }',
  '&',
  '|',
  '!',
  '0x',
  '\\u',
  '...F',
);

/** A text with a part left out, said twice, or replaced by junk. */
const broken = fc
  .tuple(operations, fc.array(fc.tuple(fc.nat(), fc.nat(30), fc.option(junk)), { minLength: 1, maxLength: 4 }))
  .map(([document, wounds]) =>
    wounds.reduce((whole, [place, length, put]) => {
      const at = place % (whole.length + 1);
      return whole.slice(0, at) + (put ?? whole.slice(at, at + length).repeat(2)) + whole.slice(at + length);
    }, document),
  );

/** Documents: valid ones, broken ones, and text that is none. */
export const documents: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: operations },
  { weight: 3, arbitrary: broken },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
);

/** What stands where variables should: mostly an object with an id, of any value. */
export const variables: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: fc.record({ id: text }) },
  { weight: 2, arbitrary: fc.record({ id: fc.jsonValue() }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);

/** An HTTP request. */
export interface FuzzedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

const typename = Buffer.from('{"query":"{ __typename }"}');
const charsets = [
  '',
  '; charset=utf-8',
  '; charset=UTF-8',
  '; charset=utf-16',
  '; charset="',
  '; charset=gb18030',
  ';;',
];

/** HTTP requests: method, path, content type, charset, encoding and body, each with each. */
export const requests: fc.Arbitrary<FuzzedRequest> = fc
  .record({
    method: fc.constantFrom('POST', 'POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD', 'QUERY', 'PROPFIND'),
    path: fc.constantFrom(
      '/graphql',
      '/graphql',
      '/graphql?query={__typename}',
      '/graphql?variables={',
      '/',
      '/health/live',
      '/%',
      '//graphql',
      '/graphql/..',
      '/graphql?query=%',
      '/a%00b',
    ),
    type: fc.constantFrom(
      'application/json',
      'application/json',
      'text/plain',
      'application/graphql',
      'multipart/form-data',
      'json',
      '',
    ),
    charset: fc.constantFrom(...charsets),
    encoding: fc.constantFrom('', '', 'identity', 'gzip', 'br', 'gzip, gzip', 'x'),
    accept: fc.constantFrom(
      '',
      '*/*',
      'application/graphql-response+json',
      'text/html',
      'multipart/mixed',
      'x;q=',
      ';;;,,',
    ),
    body: fc.oneof(
      fc.constantFrom(
        typename,
        Buffer.from('null'),
        Buffer.from('[]'),
        Buffer.from('{}'),
        Buffer.from('"'),
        Buffer.alloc(0),
      ),
      fc.jsonValue().map((value) => Buffer.from(JSON.stringify(value))),
      fc
        .record(
          {
            query: fc.jsonValue(),
            variables: fc.jsonValue(),
            operationName: fc.jsonValue(),
            extensions: fc.jsonValue(),
          },
          { requiredKeys: [] },
        )
        .map((value) => Buffer.from(JSON.stringify(value))),
      fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
      fc.constantFrom(1_048_576, 1_048_577).map((length) => Buffer.from(typename.toString().padEnd(length))),
      fc
        .nat(200_000)
        .map((depth) => Buffer.from(`{"query":"{ __typename }","variables":${'['.repeat(depth)}${']'.repeat(depth)}}`)),
    ),
  })
  .map(({ method, path, type, charset, encoding, accept, body }) => ({
    method,
    path,
    headers: {
      ...(type !== '' && { 'content-type': type + charset }),
      ...(encoding !== '' && { 'content-encoding': encoding }),
      ...(accept !== '' && { accept }),
      ...(body.length > 0 && { 'content-length': String(body.length) }),
    },
    body: method === 'GET' || method === 'HEAD' ? Buffer.alloc(0) : body,
  }))
  .map(({ headers, body, ...request }) => {
    const { 'content-length': _, ...others } = headers as Record<string, string>;
    return {
      ...request,
      body,
      headers: body.length > 0 ? { ...others, 'content-length': String(body.length) } : others,
    };
  });

const lines = [
  'GET /health/live HTTP/1.1',
  'POST /graphql HTTP/1.1',
  'CONNECT x:1 HTTP/1.1',
  'TRACE / HTTP/1.1',
  'GET http://other.example/ HTTP/1.1',
  'GET * HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'GET / HTTP/1.0',
  'GET / HTTP/2.0',
  'PRI * HTTP/2.0',
  'host: x',
  'host: y',
  'content-length: 2',
  'content-length: -1',
  'content-length: 99999999999999999999',
  'transfer-encoding: chunked',
  'transfer-encoding: gzip, chunked',
  'connection: upgrade',
  'connection: keep-alive, close',
  'upgrade: websocket',
  'expect: 100-continue',
  'expect: x',
  'content-type: application/json',
  'authorization: Bearer a',
  'x-request-id: \u00ff',
  ': x',
  'a : b',
  ' folded',
  `long: ${'x'.repeat(17_000)}`,
];
const ends = ['\r\n', '\r\n', '\r\n', '\n', '\r', ''];

/** Bytes that are nearly HTTP. */
export const rawRequests: fc.Arbitrary<Buffer> = fc.oneof(
  fc
    .tuple(
      fc.array(fc.tuple(fc.constantFrom(...lines), fc.constantFrom(...ends)), { minLength: 1, maxLength: 8 }),
      fc.constantFrom('\r\n', '\r\n\r\n', ''),
      fc.constantFrom('', '{}', '2\r\n{}\r\n0\r\n\r\n', 'ffffffffffffffff\r\n', '{"query":"{ __typename }"}'),
    )
    .map(([head, end, body]) => Buffer.from(head.map((pair) => pair.join('')).join('') + end + body, 'latin1')),
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);
