import fc from 'fast-check';
import type { Fault, InterceptHandler } from '../../simulator/src/simulator.ts';
import { DATASET_ID, dataset, TOKEN } from '../support/harness.ts';
import { type Body, smallBodies } from '../support/random-bodies.ts';
import { ASSET_IDS, plainVariables } from '../support/results-selections.ts';
import { DATASET_IDS } from './known-documents-operations.ts';

/** Random ways to send a document, random variables, and random answers of the REST service. */

/** Headers as they are sent; a list is a header that is sent several times. */
type Headers = Readonly<Record<string, string | string[]>>;

/** The values of `Accept`; undefined for none. */
export const ACCEPTS: readonly (string | string[] | undefined)[] = [
  ...[undefined, '', '*/*', 'application/json', 'application/*;q=0.1', 'APPLICATION/JSON', 'text/html, */*;q=0.8'],
  ...['application/json;q=0.5, application/graphql-response+json', 'application/graphql-response+json'],
  ...['multipart/mixed;deferSpec=20220824, application/json', ['text/html', 'application/json']],
  // Of these there is none.
  ...['text/plain', 'application/json;q=0', 'multipart/mixed'],
];

/** Mostly the first of the choices. */
const mostly = <T>(usual: T, ...others: T[]) =>
  fc.oneof({ weight: 50, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });

const header = <T extends string | string[]>(name: string, values: fc.Arbitrary<T | undefined>) =>
  values.map((value): Headers => (value === undefined ? {} : { [name]: value }));

const bearer = `Bearer ${TOKEN}`;
/** All headers of a request. Its id is always the same, because errors contain it. */
const headers: fc.Arbitrary<Headers> = fc
  .tuple(
    header('accept', fc.constantFrom(...ACCEPTS)),
    header('content-type', mostly('application/json', 'application/json;charset="UTF-8"', 'text/plain')),
    header('authorization', mostly<string | string[] | undefined>(bearer, undefined, 'Basic x', [bearer, 'Bearer x'])),
    header('apollo-federation-include-trace', mostly<string | undefined>(undefined, 'ftv1')),
  )
  .map((parts) => Object.assign({ 'x-request-id': 'asked-again' }, ...parts));

/** A way to send a document. */
export interface Way {
  readonly path: string;
  readonly headers: Headers;
  /** The name of the operation: that of one of the document's by its number, or another value. */
  readonly name: { readonly at: number } | { readonly value: unknown };
  /** Other members of the body. */
  readonly more: object;
}

const persistedQuery = { version: 1, sha256Hash: '0'.repeat(64) };
/** Members of a body that are not as usual, or should not be there. */
export const oddMembers: readonly object[] = [
  ...[{ extensions: {} }, { extensions: null }, { extensions: '{}' }, { extensions: { persistedQuery } }],
  ...[{ variables: null }, { variables: [] }, { variables: '{}' }, { variables: undefined }],
];

/** Random ways to send a document. Most are usual. */
export const ways: fc.Arbitrary<Way> = fc.record({
  path: mostly('/graphql', '/graphql?', '/graphql?query={__typename}'),
  headers,
  name: fc.oneof(
    { weight: 20, arbitrary: fc.nat(1).map((at) => ({ at })) },
    { weight: 1, arbitrary: fc.constantFrom('', 'Other', '__proto__', 7, null, undefined).map((value) => ({ value })) },
  ),
  more: mostly<object>({}, ...oddMembers),
});

const assetId = fc.constantFrom(...ASSET_IDS);
const datasetId = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...DATASET_IDS) },
  { weight: 1, arbitrary: fc.constantFrom('', '.', '../../x', '%2e', '\ud800', '\u0000', 'x'.repeat(201), 5) },
);
const reference = fc.oneof(
  { weight: 6, arbitrary: datasetId.map((id) => ({ __typename: 'Dataset', id })) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(datasetId, assetId)
      .map(([datasetId, assetId]) => ({ __typename: 'Asset', datasetId, assetId })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { __typename: 'Dataset', id: DATASET_ID, toJSON: 'x', name: 'y' },
      { __typename: 'Dataset' },
      { __typename: 'Asset', datasetId: 'd2', assetId: '' },
    ),
  },
);
const time = fc.constantFrom(0, -1, '2024-01-02T00:00:00Z', null, undefined);
const range = fc.option(fc.record({ start: time, stop: time }));

/** A value that is mostly this, and sometimes absent, null or of another type. */
const mostlyOf = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 40, arbitrary: usual },
    { weight: 1, arbitrary: fc.constantFrom(undefined, null, 'text', 1.5, [], {}, [null], true) },
  );

/** Values of all variables but `after0` and `after1`, the cursors of the first two entries of a response. */
export const variables: fc.Arbitrary<Record<string, unknown>> = fc.record({
  ...Object.fromEntries(
    Object.entries<fc.Arbitrary<unknown>>(plainVariables).map(([name, of]) => [name, mostlyOf(of)]),
  ),
  t: mostlyOf(fc.constantFrom(...Array(9).fill(true), false, false, null)),
  f: mostlyOf(fc.constantFrom(...Array(9).fill(false), true, true, null)),
  id: mostlyOf(datasetId),
  other: mostlyOf(datasetId),
  datasets: mostlyOf(fc.array(datasetId, { maxLength: 4 })),
  references: mostlyOf(fc.array(reference, { maxLength: 5 })),
  filter: mostlyOf(fc.record({ assetIds: fc.option(fc.array(assetId, { maxLength: 3 })), timeRange: range })),
  range: mostlyOf(range),
  x: fc.constantFrom(undefined, null, 5),
  unknown: fc.constantFrom(undefined, undefined, 1),
});

/** What the service answers to each call for one dataset. */
interface Answers {
  readonly metadata: Fault | undefined;
  /** Undefined for the results that the service has. */
  readonly results: Fault | Body | undefined;
}

const isBody = (results: Fault | Body): results is Body => 'bytes' in results;

const statuses = fc.constantFrom(400, 401, 403, 404, 405, 409, 429, 500, 503, 302, 204).map((status) => ({ status }));
// Whether a call is made again at once after a reset depends on the age of its connection.
const broken = fc.constantFrom<Fault>(
  { cutAfterBytes: 5 },
  { body: '' },
  { body: '<html>' },
  { status: 500, body: '[' },
);

/** A failure of any call. */
const failures: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 4, arbitrary: statuses },
  { weight: 1, arbitrary: broken },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Fault>(
      { status: 400, body: '{"label":"VALIDATION_EXCEPTION"}' },
      { status: 403, body: '{"error":{"label":"UNAUTHORIZED"}}' },
      { status: 429, headers: { 'retry-after': '7' } },
    ),
  },
);

/** What becomes of the metadata. */
const metadata: fc.Arbitrary<Fault | undefined> = fc.oneof(
  { weight: 6, arbitrary: fc.constant(undefined) },
  { weight: 5, arbitrary: failures },
  { weight: 2, arbitrary: fc.jsonValue().map((value) => ({ body: JSON.stringify(value) })) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...Object.keys(dataset.metadata)), fc.jsonValue())
      .map(([field, value]) => ({ body: JSON.stringify({ ...dataset.metadata, [field]: value }) })),
  },
);

const answers: fc.Arbitrary<Answers> = fc.record({
  metadata,
  results: fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: failures },
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
