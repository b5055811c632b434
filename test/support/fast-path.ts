import { inspect, isDeepStrictEqual } from 'node:util';
import { Pool } from 'undici';
import { expect, onTestFinished } from 'vitest';
import { start, type TestBed, TOKEN } from './harness.ts';

/** How much is shown of two responses that differ: before the first difference, and from it on. */
const SHOWN_CHARACTERS = 300;

/** What is written at a time; a longer answer is sent in chunks. */
const CHUNK_BYTES = 2 ** 19;

/** An answer over HTTP, read without losing anything that could differ. */
export interface RawResponse {
  readonly status: number;
  readonly contentType: unknown;
  readonly contentLength: unknown;
  readonly text: string;
}

/** Two subgraphs before one REST service: one with the fast path, one without. */
interface Pair {
  readonly fast: TestBed;
  readonly plain: TestBed;
  /** Asks both. */
  ask(
    document: string,
    variables: Record<string, unknown>,
    operationName?: string,
  ): Promise<{ fast: RawResponse; plain: RawResponse }>;
}

export async function startPair(env: Record<string, string> = {}): Promise<Pair> {
  const fast = await start({ env: { LOG_LEVEL: 'warn', ...env } });
  const serviceUrl = fast.simulator.url;
  const plain = await start({ env: { LOG_LEVEL: 'warn', RESULTS_FAST_PATH: 'off', ...env }, serviceUrl });
  const [askFast, askPlain] = [asker(fast), asker(plain)];
  return {
    fast,
    plain,
    ask: async (document, variables, operationName) => {
      const body = JSON.stringify({ query: document, variables, operationName });
      const [fastResponse, genericResponse] = await Promise.all([askFast(body), askPlain(body)]);
      return { fast: fastResponse, plain: genericResponse };
    },
  };
}

/** Keeps its connections, which the harness does not: a new one for each of so many requests takes too long. */
function asker({ subgraph }: TestBed): (body: string) => Promise<RawResponse> {
  const pool = new Pool(new URL(subgraph.url).origin, { connections: 4 });
  onTestFinished(() => pool.close());
  const headers = {
    'content-type': 'application/json',
    authorization: `Bearer ${TOKEN}`,
    'x-request-id': 'the-same-for-both',
  };
  return async (body) => {
    const response = await pool.request({ path: '/graphql', method: 'POST', headers, body });
    return {
      status: response.statusCode,
      contentType: response.headers['content-type'],
      contentLength: response.headers['content-length'],
      text: await response.body.text(),
    };
  };
}

/**
 * Whether a limit cut a response off where the two need not agree. Which of a thousand assets get the last calls depends on
 * the turns in which their objects are completed, and so on how many fields these have; and decoded rows are dearer.
 */
export const isCutOff = ({ text }: RawResponse) =>
  text.includes('UPSTREAM_MAX_CALLS is 500') || text.includes('exceeds its work limit');

/** What says how many errors are omitted, and why. */
const OMITTED = /^A response has at most .*; (\d+) more are omitted\.$/;

/** Errors, which may come in another order. Which ones are omitted depends on it, so then their number alone is the same. */
function comparableErrors(errors: readonly { message: string }[]) {
  const omitted = Number(errors.at(-1)?.message.match(OMITTED)?.[1] ?? 0);
  return omitted > 0 ? errors.length - 1 + omitted : errors.map((error) => JSON.stringify(error)).toSorted();
}

/** What must be the same. */
function comparable({ status, contentType, contentLength, text }: RawResponse) {
  const { data, errors, ...others } = JSON.parse(text);
  const length = Buffer.byteLength(text);
  return {
    status,
    contentType,
    // What does not fit into one piece is sent in chunks.
    hasRightLength: contentLength === undefined ? length > CHUNK_BYTES : contentLength === String(length),
    // As text, because the order of fields counts; and as it is, because 0 and -0 are the same as text.
    dataInOrder: JSON.stringify(data),
    data,
    errors: errors && comparableErrors(errors),
    others,
  };
}

type Comparable = ReturnType<typeof comparable>;

/** @param hasErrors whether their errors must be the same, too */
export function expectSame(
  { fast, plain }: { fast: RawResponse; plain: RawResponse },
  title = 'The responses',
  hasErrors = true,
): void {
  const [one, other] = [fast, plain].map((response) => ({
    ...comparable(response),
    ...(!hasErrors && { errors: undefined }),
  })) as [Comparable, Comparable];
  // A comparison that explains would be too slow for so many responses.
  if (!isDeepStrictEqual(one, other)) throw new Error(`${title} differ.${differenceOf(one, other)}`);
  expect(one.hasRightLength, title).toBe(true);
}

/** Where two responses begin to differ, and their errors. */
function differenceOf(...responses: Comparable[]): string {
  const limits = { depth: null, maxArrayLength: null, maxStringLength: null };
  const [one = '', other = ''] = responses.map((response) => inspect(response, limits));
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return responses
    .map(({ errors }, index) => {
      const text = [one, other][index]?.slice(Math.max(0, at - SHOWN_CHARACTERS), at + SHOWN_CHARACTERS);
      return `\n\n${index === 0 ? 'On the fast path' : 'Without it'}: ${text}\nIts errors: ${inspect(errors).slice(0, 2000)}`;
    })
    .join('');
}

/** An answer in which one asset has many rows; no two answers have a row in common. */
export function largeResponse(assetId: string, rowCount: number): string {
  const rows = Array.from(
    { length: rowCount },
    (_, index) =>
      `{"value_date":"${assetId}/${index}","metrics":[{"name":"moisture","value":${assetId}.${index}},{"name":"temperature","value":-${index}.5}]}`,
  );
  return `{"assets":[{"asset_id":"${assetId}","results":[${rows.join()}]}]}`;
}

/** A results response of one asset with these results. */
export const assets = (results: string) => `{"assets":[{"asset_id":"a","results":${results}}]}`;

/** A results response of one row with these metrics. */
export const rows = (metrics: string) => assets(`[{"value_date":"d","metrics":${metrics}}]`);
