import { request as send } from 'undici';
import type { Contestant } from './contestants.ts';
import type { LoadRequest } from './load.ts';
import { ALL_CALLS, type RestCall } from './rest-call.ts';
import type { Query, Workload } from './workloads.ts';

const headers = { authorization: 'Bearer token-of-the-benchmark', 'content-type': 'application/json' };

/** The request of a workload to a contestant; undefined if the contestant cannot serve it. */
export function requestFor(contestant: Contestant, workload: Workload): LoadRequest | undefined {
  const { query, rest, traceparent, file } = workload;
  if (contestant.speaks === 'graphql') {
    if (file !== undefined) return fileRequest(contestant, workload, file);
    const request = graphqlRequest(contestant, query);
    return traceparent === undefined ? request : { ...request, headers: { ...request.headers, traceparent } };
  }
  return rest && restRequest(contestant.url, rest.length === 1 ? rest[0] : allCalls(rest));
}

/** A GraphQL request. */
export function graphqlRequest({ url }: Contestant, { document, variables }: Query): LoadRequest {
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname, method: 'POST', headers, body: JSON.stringify({ query: document, variables }) };
}

/** A request for the results of a workload's dataset as a file. */
function fileRequest({ url }: Contestant, { query }: Workload, file: string): LoadRequest {
  const path = `/download/results/${query.variables.id}?${file}`;
  return { origin: new URL(url).origin, path, method: 'GET', headers, body: null };
}

/** A call of the REST service or of a program that forwards it. */
export function restRequest(url: string, call: RestCall): LoadRequest {
  return { ...call, origin: new URL(url).origin, headers };
}

/** One call that makes the relay make several. */
function allCalls(calls: readonly RestCall[]): RestCall {
  return { method: 'POST', path: ALL_CALLS, body: JSON.stringify(calls) };
}

/** Sends a request once. Returns the body of the response. */
export async function sendOnce({ origin, path, ...request }: LoadRequest): Promise<Buffer> {
  const { statusCode, body } = await send(origin + path, { ...request, headersTimeout: 120_000 });
  const received = Buffer.from(await body.arrayBuffer());
  if (statusCode !== 200) throw new Error(`The status of a response is ${statusCode}: ${received.subarray(0, 500)}`);
  return received;
}
