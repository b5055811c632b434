import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { GraphQLSchema } from 'graphql';
import { Pool } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Simulator } from '../../simulator/src/simulator.ts';
import { readConfig } from '../../src/config.ts';
import { createSchema, readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { type SchemaNames, schemaNames } from '../../src/graphql/schema/schema-names.ts';
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
 * A counterexample becomes a case of known-documents.test.ts, where it stays.
 */

const CASES = randomCases(1500);

/** Asks for a trace; and the trace in a response. */
const forTrace = { 'apollo-federation-include-trace': 'ftv1' };
const trace = /,"extensions":\{"ftv1":"[^"]*"\}/;

/** How many requests have the same known document, about. */
const REQUESTS_EACH = 3;

/** One call at a time and no retries, so that nothing depends on which response comes first. */
const inOrder = {
  FEDERATED_TRACING: 'on',
  UPSTREAM_CONNECTIONS: '1',
  UPSTREAM_RETRY: 'off',
  UPSTREAM_OUTAGE_MS: '0',
  LOG_LEVEL: 'error',
};
const withoutLimits = { OPERATION_TIMEOUT_MS: '300000', MAX_OPERATION_WORK: '1000000000000' };

/** The settings of the subgraphs. */
const setups: readonly Record<string, string>[] = [
  { ...withoutLimits, ASSET_IDS_PER_CALL: '2' },
  { ...withoutLimits, ASSET_IDS_PER_CALL: '1' },
  {
    ...withoutLimits,
    SCHEMA_NAMES:
      'AssetSeries:Series,PageInfo:Page,Metric:Field,TimeRangeInput:Range,Query.dataset:one,Query.datasetsByIds:dataset',
    DOWNLOAD_TOKEN_IN_URL: 'allow',
  },
  { MAX_OPERATION_WORK: '1000000', UPSTREAM_MAX_CALLS: '2', MAX_REPRESENTATIONS: '2', INTROSPECTION: 'off' },
];

describe('A random request', () => {
  it('gets the response that graphql-js makes', { tags: ['random'], timeout: 120_000 + CASES * 100 }, async () => {
    const beds: Bed[] = [];
    for (const env of setups) beds.push(await startBed(env));
    const counts = { requests: 0, resolved: 0, compiled: 0 };

    /** Sends a request twice: for a trace, with a document that is new; and without one, with a document that may be known. */
    async function compare(bed: Bed, way: Way, fresh: string, known: string): Promise<void> {
      const first = await bed.ask({ ...way, headers: { ...way.headers, ...forTrace } }, fresh);
      const again = await bed.ask(way, known);
      if (!areSame(first.response, again.response)) throw new Error(differenceOf(first.response, again.response));
      expect(first.executor).not.toBe('compiled');
      expect(first.response.text).not.toContain('"code":"INTERNAL_SERVER_ERROR"');
      expect(first.response.internalErrors).toBe(0);
      counts.requests += 1;
      if (first.executor !== undefined) counts.resolved += 1;
      if (again.executor === 'compiled') counts.compiled += 1;
    }

    let sources = 0;
    const requests = fc.array(fc.tuple(ways, variables, services), { minLength: 1, maxLength: 2 * REQUESTS_EACH - 1 });
    await fc.assert(
      fc.asyncProperty(fc.nat(beds.length - 1), documents, requests, async (index, { text, names }, all) => {
        const bed = beds[index] as Bed;
        // A comment at the end makes a new document, and changes nothing else.
        const newSource = () => `${text(bed.names)}\n# ${String(sources++).padStart(9, '0')}`;
        const known = newSource();
        for (const [way, values, service] of all) {
          bed.simulator.intercept(answersOf(service));
          const ids = idsIn(allResults(service));
          const given = { ...values, after0: cursorOf(0, ids[0]), after1: cursorOf(1, ids[1]) };
          const bodyWith = (source: string) => way.body({ source, names, variables: given });
          await compare(bed, way, bodyWith(newSource()), bodyWith(known));
        }
      }),
      {
        numRuns: Math.ceil(CASES / REQUESTS_EACH),
        // The search for a smaller counterexample can take long.
        interruptAfterTimeLimit: 60_000 + CASES * 50,
        markInterruptAsFailure: true,
      },
    );

    const { requests: total, resolved, compiled } = counts;
    console.info(`Of ${total} requests, ${resolved} were resolved, and ${compiled} of them by what was compiled.`);
    expect(compiled).toBeGreaterThan(total / 10);
  });
});

/**
 * Whether two responses are the same, and their calls. A dataset or its results that are null because of an error do not wait
 * for all of their calls. Whether these are sent before they are cancelled is a matter of time.
 */
function areSame(first: Outcome['response'], again: Outcome['response']): boolean {
  const [fewer, more] = [first.calls, again.calls].sort((one, other) => one.length - other.length) as [Calls, Calls];
  const calls = mayCancel(first.text)
    ? more.filter((call) => fewer.some((other) => isDeepStrictEqual(call, other)))
    : more;
  return isDeepStrictEqual(calls, fewer) && isDeepStrictEqual({ ...again, calls }, { ...first, calls });
}

/** Whether a root field, or an entry of its list, is null, or a field of one of these because of its results. */
function mayCancel(text: string): boolean {
  const { data, errors = [] }: { data?: Record<string, unknown> | null; errors?: readonly ResponseError[] } =
    JSON.parse(text);
  if (data === null || data === undefined || Object.values(data).flat().includes(null)) return true;
  return errors.some(
    ({ path = [], extensions }) =>
      extensions?.rest?.operation === 'getDatasetResults' && path.filter((key) => typeof key === 'string').length === 2,
  );
}

interface ResponseError {
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly rest?: { readonly operation: string } };
}

type Calls = Outcome['response']['calls'];

/** The parts of two responses that differ, a text from shortly before the first difference. */
function differenceOf(expected: Outcome['response'], received: Outcome['response']): string {
  let at = 0;
  while (at < expected.text.length && expected.text[at] === received.text[at]) at += 1;
  const parts = Object.entries({ expected, received }).map(([name, { text, calls, ...others }]) => {
    const described = calls.map((call) => JSON.stringify(call).slice(0, 200));
    return `${name}: ${JSON.stringify(others)}\n  text: ${text.slice(Math.max(0, at - 300), at + 700)}\n  ${described.join('\n  ')}`;
  });
  return parts.join('\n');
}

const cursorOf = (index: number, assetId: string | undefined) =>
  Buffer.from(JSON.stringify([index, assetId])).toString('base64url');

/** A request, as its client and the REST service see it. */
interface Outcome {
  readonly response: {
    readonly status: number;
    readonly headers: readonly string[];
    readonly text: string;
    readonly calls: readonly unknown[];
    readonly internalErrors: number;
  };
  /** Undefined if it called no resolver of a root field. */
  readonly executor: Executor | undefined;
}

interface Bed {
  readonly names: SchemaNames;
  readonly simulator: Simulator;
  ask(way: Pick<Way, 'path' | 'headers'>, body: string): Promise<Outcome>;
}

async function startBed(env: Record<string, string>): Promise<Bed> {
  const { SCHEMA_NAMES } = readConfig(env);
  let executor: Executor | undefined;
  // Apollo Server changes the schema that it traces.
  const makeSchema = () =>
    observedSchema(createSchema(SCHEMA_NAMES), (name) => {
      executor = name;
    });
  const { simulator, subgraph, log } = await start({
    env: { ...inOrder, ...env },
    datasets: DATASET_IDS.slice(0, -1).map((id) => ({ ...dataset, metadata: { ...dataset.metadata, id } })),
    makeSchema,
  });
  const pool = new Pool(new URL(subgraph.url).origin, { connections: 1 });
  onTestFinished(() => pool.close());

  const ask: Bed['ask'] = async ({ path, headers }, body) => {
    simulator.clear();
    log.length = 0;
    executor = undefined;
    const response = await pool.request({ path, method: 'POST', headers, body, responseHeaders: 'raw' });
    const text = await response.body.text();
    const outcomes = await Promise.all(simulator.requests.map(({ outcome }) => outcome));
    // Whether a cancelled call comes to the service is a matter of time.
    const answered = simulator.requests.filter((_, index) => outcomes[index] === 'answered');
    return {
      response: {
        status: response.statusCode,
        headers: comparable(response.headers as unknown as string[]),
        text: text.replace(trace, ''),
        calls: answered.map((call) => [describeCall(call), call.headers]),
        internalErrors: log.length,
      },
      executor,
    };
  };

  // The media types of responses become known.
  const post = { path: '/graphql', headers: { 'content-type': 'application/json', authorization: 'Bearer x' } };
  for (const accept of ACCEPTS) {
    const headers = { ...post.headers, ...(accept !== undefined && { accept }) };
    await ask({ ...post, headers }, JSON.stringify({ query: '{ __typename }' }));
  }
  const names = schemaNames(readTypeDefs(), SCHEMA_NAMES);
  return { names, simulator, ask };
}

/** What called the resolvers of an operation: graphql-js, or what was compiled. */
type Executor = 'graphql-js' | 'compiled';

/** A schema that tells what calls the resolvers of its root fields: graphql-js alone gives them plain objects. */
function observedSchema(schema: GraphQLSchema, report: (executor: Executor) => void): GraphQLSchema {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { resolve } = field;
    field.resolve = (source, args, context, info) => {
      report(Object.getPrototypeOf(info) === Object.prototype ? 'graphql-js' : 'compiled');
      return resolve?.(source, args, context, info);
    };
  }
  return schema;
}

/** Names and values of headers as they were sent, in their order, without those that tell the time and the length. */
function comparable(raw: readonly string[]): readonly string[] {
  const isCompared = (_: string, index: number) =>
    !['date', 'content-length'].includes((raw[index & ~1] ?? '').toLowerCase());
  return raw.filter(isCompared);
}
