import fc from 'fast-check';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Simulator } from '../../simulator/src/simulator.ts';
import { dataset, describeCall, start } from '../support/harness.ts';
import { idsIn } from '../support/random-bodies.ts';
import { randomCases } from '../support/random-cases.ts';
import { DATASET_IDS, documents } from './known-documents-operations.ts';
import { ACCEPTS, allResults, answersOf, services, variables, type Way, ways } from './known-documents-requests.ts';

/**
 * The execution of this subgraph against graphql-js, which executes the requests for traces alone: a request for a trace, and the same
 * request without one, whose document may be new or known, have the same response to the byte but for the trace, and cause the same
 * REST calls. No error is internal.
 *
 * A counterexample becomes a test of known-documents.test.ts, where it stays.
 */

const CASES = randomCases(1500);

/** Asks for a trace; and the trace in a response. */
const forTrace = { 'apollo-federation-include-trace': 'ftv1' };
const trace = /,"extensions":\{"ftv1":"[^"]*"\}/;

/** How many requests have the same known document, about. */
const REQUESTS_EACH = 3;

/** One call at a time and no retries, so that nothing depends on which response comes first. */
const inOrder = {
  ...{ FEDERATED_TRACING: 'on', UPSTREAM_CONNECTIONS: '1', UPSTREAM_RETRY: 'off', UPSTREAM_OUTAGE_MS: '0' },
  ...{ LOG_LEVEL: 'error', OPERATION_TIMEOUT_MS: '300000' },
};

/** The settings of the subgraphs: without limits, and with low ones. */
const setups: readonly Record<string, string>[] = [
  { MAX_OPERATION_WORK: '1000000000000', ASSET_IDS_PER_CALL: '2', DOWNLOAD_TOKEN_IN_URL: 'allow' },
  { MAX_OPERATION_WORK: '1000000000000', ASSET_IDS_PER_CALL: '1' },
  { MAX_OPERATION_WORK: '1000000', UPSTREAM_MAX_CALLS: '2', MAX_REPRESENTATIONS: '2', INTROSPECTION: 'off' },
];

describe('A random request', () => {
  it('gets the response that graphql-js makes', { tags: ['random'], timeout: 120_000 + CASES * 100 }, async () => {
    const beds: Bed[] = [];
    for (const env of setups) beds.push(await startBed(env));
    let sources = 0;
    let executed = 0;
    const requests = fc.array(fc.tuple(ways, variables, services), { minLength: 1, maxLength: 2 * REQUESTS_EACH - 1 });
    await fc.assert(
      fc.asyncProperty(fc.nat(beds.length - 1), documents, requests, async (index, { text, names }, all) => {
        const { simulator, ask } = beds[index] as Bed;
        // A comment at the end makes a new document, and changes nothing else.
        const newSource = () => `${text}\n# ${String(sources++).padStart(9, '0')}`;
        const known = newSource();
        for (const [way, values, service] of all) {
          simulator.intercept(answersOf(service));
          const ids = idsIn(allResults(service));
          const given = { ...values, after0: cursorOf(0, ids[0]), after1: cursorOf(1, ids[1]) };
          const { name } = way;
          const operationName = 'at' in name ? names[name.at % names.length] : name.value;
          const bodyWith = (query: string) => JSON.stringify({ query, operationName, variables: given, ...way.more });
          const traced = await ask({ ...way, headers: { ...way.headers, ...forTrace } }, bodyWith(newSource()));
          const response = await ask(way, bodyWith(known));
          const calls = mayCancel(traced.text) ? traced.calls : response.calls;
          expect({ ...response, calls }).toEqual(traced);
          expect(traced.text).not.toContain('"code":"INTERNAL_SERVER_ERROR"');
          expect(traced.log).toEqual([]);
          if (traced.status === 200 && !traced.text.includes('"data":null')) executed += 1;
        }
      }),
      {
        numRuns: Math.ceil(CASES / REQUESTS_EACH),
        // The search for a smaller counterexample can take long.
        interruptAfterTimeLimit: 60_000 + CASES * 50,
        markInterruptAsFailure: true,
      },
    );
    // Otherwise the documents have become useless.
    expect(executed).toBeGreaterThan(CASES / 10);
  });
});

interface ResponseError {
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly rest?: { readonly operation: string } };
}

/**
 * Whether a root field, or an entry of its list, is null, or a field of one of these because of its results. It does not wait for all of
 * its calls: whether these are sent before they are cancelled is a matter of time.
 */
function mayCancel(text: string): boolean {
  const { data, errors = [] }: { data?: Record<string, unknown> | null; errors?: readonly ResponseError[] } =
    JSON.parse(text);
  if (data === null || data === undefined || Object.values(data).flat().includes(null)) return true;
  return errors.some(
    ({ path = [], extensions }) =>
      extensions?.rest?.operation === 'getDatasetResults' && path.filter((key) => typeof key === 'string').length === 2,
  );
}

const cursorOf = (index: number, assetId: string | undefined) =>
  Buffer.from(JSON.stringify([index, assetId])).toString('base64url');

/** A response, as its client and the REST service see it. */
interface Response {
  readonly status: number;
  readonly headers: readonly string[];
  readonly text: string;
  readonly calls: readonly unknown[];
  readonly log: readonly string[];
}

interface Bed {
  readonly simulator: Simulator;
  ask(way: Pick<Way, 'path' | 'headers'>, body: string): Promise<Response>;
}

async function startBed(env: Record<string, string>): Promise<Bed> {
  const { simulator, subgraph, log } = await start({
    env: { ...inOrder, ...env },
    datasets: DATASET_IDS.slice(0, -1).map((id) => ({ ...dataset, metadata: { ...dataset.metadata, id } })),
  });
  const pool = new Pool(new URL(subgraph.url).origin, { connections: 1 });
  onTestFinished(() => pool.close());

  const ask: Bed['ask'] = async ({ path, headers }, body) => {
    simulator.clear();
    log.length = 0;
    const response = await pool.request({ path, method: 'POST', headers, body, responseHeaders: 'raw' });
    const text = await response.body.text();
    const outcomes = await Promise.all(simulator.requests.map(({ outcome }) => outcome));
    // Whether a cancelled call comes to the service is a matter of time.
    const answered = simulator.requests.filter((_, index) => outcomes[index] === 'answered');
    return {
      status: response.statusCode,
      headers: comparable(response.headers as unknown as string[]),
      text: text.replace(trace, ''),
      calls: answered.map((call) => [describeCall(call), call.headers]),
      log: [...log],
    };
  };

  // The media types of responses become known.
  for (const accept of ACCEPTS) {
    const headers = { 'content-type': 'application/json', ...(accept !== undefined && { accept }) };
    await ask({ path: '/graphql', headers }, JSON.stringify({ query: '{ __typename }' }));
  }
  return { simulator, ask };
}

/** Names and values of headers as they were sent, in their order, without those that tell the time and the length. */
function comparable(raw: readonly string[]): readonly string[] {
  const isCompared = (_: string, index: number) =>
    !['date', 'content-length'].includes((raw[index & ~1] ?? '').toLowerCase());
  return raw.filter(isCompared);
}
