import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { Fault } from '../../../simulator/src/simulator.ts';
import { errorCodes } from '../../../src/core/error-codes.ts';
import { DATASET_ID, gate, type Request } from '../../support/harness.ts';
import { settings } from '../data.ts';
import type { Habits } from '../gateways/gateways.ts';
import type { Cases } from './case.ts';

/** A cause of an error with a code. Without a fault, the REST service responds as specified. */
interface Failure {
  readonly code: string;
  readonly document?: string;
  readonly request?: Request;
  readonly fault?: Fault;
}

const name = `{ dataset(id: "${DATASET_ID}") { id name } }`;
const tooManyIds = Array.from({ length: Number(settings.UPSTREAM_MAX_CALLS) + 1 }, (_, index) => `id-${index}`);
const tooManyBytes = Number(settings.UPSTREAM_MAX_BYTES) + 1;

const failures: readonly Failure[] = [
  { code: 'BAD_USER_INPUT', fault: { status: 400, body: '"VALIDATION_EXCEPTION"' } },
  { code: 'BAD_USER_INPUT', document: '{ dataset(id: "..") { id } }' },
  { code: 'UPSTREAM_REJECTED', fault: { status: 400, body: '"EXCEPTION"' } },
  { code: 'UNAUTHENTICATED', fault: { status: 401 } },
  { code: 'UNAUTHENTICATED', request: { token: null } },
  { code: 'FORBIDDEN', fault: { status: 403 } },
  { code: 'FORBIDDEN', document: `{ dataset(id: "${DATASET_ID}") { downloadUrlWithToken } }` },
  { code: 'NOT_FOUND', fault: { status: 404 } },
  { code: 'UPSTREAM_CONTRACT_ERROR', fault: { status: 405 } },
  { code: 'CONFLICT', fault: { status: 409 } },
  { code: 'RATE_LIMITED', fault: { status: 429, headers: { 'retry-after': '7' } } },
  { code: 'UPSTREAM_ERROR', fault: { status: 500 } },
  { code: 'UPSTREAM_UNAVAILABLE', fault: { status: 503 } },
  { code: 'UPSTREAM_UNAVAILABLE', fault: { reset: true } },
  { code: 'UPSTREAM_TIMEOUT', fault: { hang: true } },
  { code: 'UPSTREAM_INVALID_RESPONSE', fault: { body: '<html>' } },
  {
    code: 'UPSTREAM_RESPONSE_TOO_LARGE',
    fault: { headers: { 'content-encoding': 'gzip' }, body: gzipSync(Buffer.alloc(tooManyBytes, ' ')) },
  },
  {
    code: 'REQUEST_LIMIT_EXCEEDED',
    document: 'query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { id name } }',
    request: { variables: { ids: tooManyIds } },
    fault: { status: 200, body: '{}' },
  },
];

interface ReportedError {
  message: string;
  path: (string | number)[];
  extensions: { code: string; rest?: { requestId: string }; serviceName?: string };
}

/** The members of an error that a client reads, without values that differ for each request. */
function read({ message, path, extensions: { code, rest } }: ReportedError) {
  return { message, path, code, rest: rest && { ...rest, requestId: typeof rest.requestId } };
}

/** The code and the readable reason for an invalid literal of `TimeBound`. */
const invalidLiterals: Readonly<Record<Habits['invalidLiteral'], readonly [code: string, readable: RegExp]>> = {
  '`BAD_USER_INPUT`': ['BAD_USER_INPUT', /A point in time must be an integer/],
  '`GRAPHQL_VALIDATION_FAILED`': ['GRAPHQL_VALIDATION_FAILED', /A point in time must be an integer/],
  "`INTERNAL_SERVER_ERROR`, with the subgraph's URL": [
    'INTERNAL_SERVER_ERROR',
    /"url":"http:.*A point in time must be an integer.*GRAPHQL_VALIDATION_FAILED/,
  ],
};

const REFUSAL = {
  message: `The subgraph is at its limit of ${settings.MAX_OPERATIONS} concurrent operations (MAX_OPERATIONS).`,
  extensions: { code: 'OVERLOADED' },
};

/** The error for a refused fetch. */
const refusals: Readonly<Record<Habits['refused'], object>> = {
  '`OVERLOADED`': REFUSAL,
  "`INTERNAL_SERVER_ERROR`, with the subgraph's URL": {
    message: '503: Service Unavailable',
    extensions: {
      code: 'INTERNAL_SERVER_ERROR',
      response: { url: expect.stringMatching(/^http:.*\/graphql$/), status: 503, body: { errors: [REFUSAL] } },
    },
  },
  '`SUBGRAPH_REQUEST_ERROR`': {
    message: "Request to subgraph 'dataset' failed.",
    extensions: { code: 'SUBGRAPH_REQUEST_ERROR' },
  },
};

export const errors: Cases = {
  'passes each error code to the client, with all details of the subgraph': async (rig) => {
    for (const { code, document = name, request = {}, fault } of failures) {
      rig.simulator.intercept(() => fault);
      const [direct, { status, body }] = await Promise.all([
        rig.querySubgraph(document, request),
        rig.query(document, request),
      ]);
      expect(status).toBe(200);
      expect(body.data).toEqual(direct.body.data);
      expect(body.errors.map(read)).toEqual(direct.body.errors.map(read));
      expect(body.errors.map(({ extensions }: ReportedError) => extensions.code)).toEqual([code]);
      const { serviceName } = body.errors[0].extensions;
      expect(serviceName).toBe(rig.gateway.habits.omitsServiceName ? undefined : 'dataset');
    }
    expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(Object.keys(errorCodes)));
  },

  'rejects an invalid scalar, as a variable and as a literal': async ({ query, calls, gateway: { habits } }) => {
    const ofRange = (start: string) =>
      `dataset(id: "${DATASET_ID}") { results(filter: { timeRange: { start: ${start} } }) { processingId } }`;
    const byVariable = `query ($start: TimeBound) { ${ofRange('$start')} }`;
    for (const [response, [code, readable]] of [
      [await query(byVariable, { variables: { start: 'yesterday' } }), invalidLiterals['`BAD_USER_INPUT`']],
      [await query(`{ ${ofRange('"yesterday"')} }`), invalidLiterals[habits.invalidLiteral]],
    ] as const) {
      expect(response.status).toBe(200);
      expect(response.body.errors.map(({ extensions }: ReportedError) => extensions.code)).toEqual([code]);
      expect(JSON.stringify(response.body.errors)).toMatch(readable);
      expect(response.body.data).toEqual(habits.omitsData ? undefined : { dataset: null });
    }
    expect(calls()).toEqual([]);
  },

  'reports a fetch that is refused before GraphQL, as expected': async ({ gateway: { habits }, ...rig }) => {
    const all = gate();
    const released = gate();
    rig.simulator.intercept(async () => {
      if (rig.simulator.requests.length === Number(settings.MAX_OPERATIONS)) all.open();
      await released.opened;
      return undefined;
    });
    const accepted = Array.from({ length: Number(settings.MAX_OPERATIONS) }, () => rig.querySubgraph(name));
    await all.opened;
    const { status, headers, body } = await rig.query(name);
    released.open();
    for (const direct of await Promise.all(accepted)) expect(direct.body.errors).toBeUndefined();
    expect(status).toBe(200);
    expect(headers['retry-after']).toBeUndefined();
    expect(body.data).toEqual(habits.omitsData ? undefined : { dataset: null });
    expect(body.errors).toMatchObject([refusals[habits.refused]]);
  },
};
