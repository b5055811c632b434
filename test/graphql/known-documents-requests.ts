import fc from 'fast-check';
import type { Fault, InterceptHandler } from '../../simulator/src/simulator.ts';
import { TOKEN } from '../support/harness.ts';
import { type Body, smallBodies } from '../support/random-bodies.ts';
import { DATASET_IDS } from './known-documents-operations.ts';
import { failures, metadataFaults } from './random-faults.ts';

/** Random ways to send a document, and random answers of the REST service. */

/** Headers as they are sent; a list is a header that is sent several times. */
type Headers = Readonly<Record<string, string | string[]>>;

/** The values of `Accept`; undefined for none. */
const acceptable: readonly (string | string[] | undefined)[] = [
  undefined,
  '',
  '*/*',
  'application/json',
  'application/*;q=0.1',
  'application/json;q=0.5, application/graphql-response+json',
  'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
  'application/graphql-response+json',
  'APPLICATION/JSON',
  'text/html, */*;q=0.8',
  'multipart/mixed;deferSpec=20220824, application/json',
  'callbackSpec=1.0; application/json',
  ['text/html', 'application/json'],
];
const unacceptable = ['text/plain', 'application/json;q=0', 'multipart/mixed', ';;,'];
export const ACCEPTS = [...acceptable, ...unacceptable];

/** Mostly the first of the choices. */
const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 50, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const header = <T extends string | string[]>(name: string, values: fc.Arbitrary<T | undefined>) =>
  values.map((value): Headers => (value === undefined ? {} : { [name]: value }));

/** All headers of a request. Its id is always the same, because errors contain it. */
const headers: fc.Arbitrary<Headers> = fc
  .tuple(
    header(
      'accept',
      fc.oneof(
        { weight: 20, arbitrary: fc.constantFrom(...acceptable) },
        { weight: 1, arbitrary: fc.constantFrom(...unacceptable) },
      ),
    ),
    header(
      'content-type',
      mostly(
        'application/json',
        'application/json; charset=utf-8',
        'application/json;charset="UTF-8"',
        'Application/JSON ; x',
        'application/json; charset=latin1',
        'text/plain',
      ),
    ),
    header(
      'authorization',
      mostly<string | string[] | undefined>(
        `Bearer ${TOKEN}`,
        undefined,
        'Bearer other',
        `bearer ${TOKEN}`,
        'Basic x',
        'Bearer',
        '',
        [`Bearer ${TOKEN}`, 'Bearer other'],
      ),
    ),
    header('apollographql-client-name', mostly<string | undefined>(undefined, 'client', '')),
    header('x-apollo-operation-name', mostly<string | undefined>(undefined, 'A', '')),
    header('apollo-require-preflight', mostly<string | undefined>(undefined, 'yes')),
    header('apollo-federation-include-trace', mostly<string | undefined>(undefined, 'ftv1')),
  )
  .map((parts) => Object.assign({ 'x-request-id': 'asked-again' }, ...parts));

/** The name of the operation: that of one of the document's, or another value. */
const operationNames = fc.oneof(
  { weight: 20, arbitrary: fc.nat(1).map((at) => ({ at })) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('', 'A', 'Other', '__proto__', 7, null, undefined).map((value) => ({ value })),
  },
);

/** The members of a body that no request needs; undefined for none. */
const members = fc.record({
  extensions: mostly<unknown>(
    undefined,
    {},
    null,
    { x: 1 },
    { persistedQuery: null },
    { persistedQuery: { version: 1, sha256Hash: '0' } },
    [],
    '{}',
  ),
  unknown: mostly<unknown>(undefined, 1),
});

/** A value that stands in place of the variables. */
const oddVariables = mostly<{ readonly value: unknown } | undefined>(
  undefined,
  ...[undefined, null, {}, [], '{}', 5, false].map((value) => ({ value })),
);

/** How a body is put together. */
const shapes = fc.oneof(
  { weight: 60, arbitrary: fc.constant('object') },
  { weight: 1, arbitrary: fc.constantFrom('list', 'no document', 'null') },
);

/** The parts of a body that are known when the document is. */
interface Contents {
  readonly source: string;
  /** The names of its operations, undefined for none. */
  readonly names: readonly (string | undefined)[];
  readonly variables: Readonly<Record<string, unknown>>;
}

/** A way to send a document. */
export interface Way {
  readonly path: string;
  readonly headers: Headers;
  body(contents: Contents): string;
  [fc.toStringMethod](): string;
}

/** Random ways to send a document. Most are usual. */
export const ways: fc.Arbitrary<Way> = fc
  .tuple(
    headers,
    operationNames,
    members,
    oddVariables,
    shapes,
    mostly('/graphql', '/graphql?', '/graphql?query={__typename}'),
  )
  .map(([sent, name, rest, odd, shape, path]) => ({
    path,
    headers: sent,
    body: ({ source, names, variables }) => {
      const body = {
        query: shape === 'no document' ? undefined : source,
        operationName: 'at' in name ? names[name.at % names.length] : name.value,
        variables: odd === undefined ? variables : odd.value,
        ...rest,
      };
      return JSON.stringify(shape === 'list' ? [body] : shape === 'null' ? null : body);
    },
    [fc.toStringMethod]: () => JSON.stringify({ path, headers: sent, name, ...rest, odd, shape }),
  }));

/** What the service answers to each call for one dataset. */
interface Answers {
  readonly metadata: Fault | undefined;
  /** Undefined for the results that the service has. */
  readonly results: Fault | Body | undefined;
}

const isBody = (results: Fault | Body): results is Body => 'bytes' in results;

/** Whether a call is made again at once after a reset depends on the age of its connection. */
const withoutReset = <T extends Fault | undefined>(faults: fc.Arbitrary<T>) => faults.filter((fault) => !fault?.reset);

const answers: fc.Arbitrary<Answers> = fc.record({
  metadata: fc.oneof(
    { weight: 3, arbitrary: withoutReset(metadataFaults) },
    { weight: 1, arbitrary: withoutReset(failures) },
  ),
  results: fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: withoutReset(failures) },
    { weight: 7, arbitrary: smallBodies },
  ),
});

/** What the service answers: the datasets take turns. */
export const services = fc.array(answers, { minLength: 1, maxLength: 3 });

/** The bytes of the results of all assets, if there are such results. */
export function allResults([first]: readonly Answers[]): Buffer {
  const results = first?.results;
  return results !== undefined && isBody(results) ? results.bytes(undefined, false) : Buffer.from('');
}

export function answersOf(service: readonly Answers[]): InterceptHandler {
  return ({ operation, datasetId = '', body }) => {
    const chosen = service[DATASET_IDS.indexOf(datasetId) % service.length] ?? service[0];
    if (operation === 'getDatasetMetadata') return chosen?.metadata;
    const { results } = chosen ?? {};
    if (results === undefined || !isBody(results)) return results;
    const { mo_ids: assetIds, time_range: range } = JSON.parse(body);
    return { status: 200, body: results.bytes(assetIds, range !== undefined) };
  };
}
