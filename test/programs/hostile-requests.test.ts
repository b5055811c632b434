import { Agent, request } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startService } from '../support/harness.ts';
import { endpointOf, startEntry } from '../support/process.ts';

const REQUESTS = 50;
/** The most bytes of the errors of a response. */
const MAX_ERROR_BYTES = 1_000_000;

const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
const keys = `{${times(70_000, (index) => `"key${index}":1`).join()}}`;
const asked = 'query ($filter: ResultsFilterInput) { dataset(id: "d") { results(filter: $filter) { processingId } } }';
const withVariables = (filter: string) => `{"query":${JSON.stringify(asked)},"variables":{"filter":${filter}}}`;
const withDocument = (query: string) => JSON.stringify({ query });

/** Requests of almost 1 MB, as bad as they can be. */
const bodies: readonly (readonly [what: string, body: string])[] = [
  ['unknown keys in variables', withVariables(keys)],
  ['objects in a list of ids', withVariables(`{"assetIds":[${times(60_000, () => '{"a":1}').join()}]}`)],
  ['deep lists', withVariables(`{"assetIds":${'['.repeat(450_000)}${']'.repeat(450_000)}}`)],
  ['a document of many names', withDocument(`{ ${times(120_000, (index) => `a${index}`).join(' ')} }`)],
  ['a field that is repeated', withDocument(`{ dataset(id: "d") { ${'name '.repeat(9000)} } }`)],
  ['deep selections', withDocument(`{ ${'a { '.repeat(100_000)} ${'}'.repeat(100_000)}`)],
];

describe('3.28 Fifty requests of 1 MB at once, with a heap of 256 MB', () => {
  it('of each bad kind are answered, with short errors, and the process goes on', { timeout: 180_000 }, async () => {
    const { url } = await startService();
    const env = { DATASET_SERVICE_URL: url, PORT: '0', LOG_LEVEL: 'silent', NODE_OPTIONS: '--max-old-space-size=256' };
    const { origin } = await endpointOf(startEntry('main', env));
    const dispatcher = new Agent({ connections: REQUESTS, headersTimeout: 120_000, bodyTimeout: 120_000 });
    onTestFinished(() => dispatcher.close());
    for (const [what, body] of bodies) {
      const headers = {
        'content-type': 'application/json',
        authorization: 'Bearer x',
        'x-request-id': 'x'.repeat(8000),
      };
      const answers = times(REQUESTS, async () => {
        const response = await request(`${origin}/graphql`, { method: 'POST', headers, body, dispatcher });
        const text = await response.body.text();
        return { status: response.statusCode, length: text.length };
      });
      for (const { status, length } of await Promise.all(answers)) {
        expect([what, [200, 400, 503].includes(status)]).toEqual([what, true]);
        expect([what, length < MAX_ERROR_BYTES]).toEqual([what, true]);
      }
      const health = await request(`${origin}/health/ready`, { dispatcher });
      await health.body.dump();
      expect([what, health.statusCode]).toEqual([what, 200]);
    }
  });
});
