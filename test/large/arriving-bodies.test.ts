import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/faults.ts';
import { mismatchOf } from '../oracle/compare.ts';
import { serviceOf } from '../oracle/field.ts';
import { respond } from '../oracle/respond.ts';
import { type Answer, assetResult, DATASET_ID, start } from '../support/harness.ts';
import { pieces } from '../support/pieces.ts';
import { randomCases } from '../support/random-cases.ts';

/** A large body is read while it arrives. The response must be the same as if all of it came at once. */

/** How many bodies are tried with each way of sending. */
const RUNS = randomCases(3);

const node = `asset { assetId name categories centroid { latitude } } version
  rows { valueDate metrics { name value } }
  columns(metrics: ["moisture"]) { metrics { values } }`;
const ofResults = (selection: string) => `{ dataset(id: "${DATASET_ID}") { results { ${selection} } } }`;

/** What is selected, by what is held of the response. */
const documents = {
  whole: ofResults(`processingId sourceId series { totalCount nodes { ${node} } }`),
  'first assets': ofResults(`series(first: 3) { nodes { ${node} } totalCount pageInfo { endCursor } } processingId`),
  none: ofResults('sourceId series { totalCount pageInfo { hasNextPage } }'),
  'what is on its way': ofResults(`processingId series { nodes { ${node} } }`),
  'what is on its way, with more behind': ofResults(
    `series { edges { cursor node { ${node} } } pageInfo { startCursor endCursor } totalCount } sourceId`,
  ),
};

/** How the bytes of a body come: in pieces of these sizes, again and again. */
type Delivery = (body: Buffer, sizes: readonly number[]) => Fault;

const deliveries: Readonly<Record<string, Delivery>> = {
  'of announced length': (body, sizes) => ({
    headers: { 'content-length': String(body.length) },
    body: pieces(body, sizes),
  }),
  'of unknown length': (body, sizes) => ({ body: pieces(body, sizes) }),
  compressed: (body, sizes) => ({ headers: { 'content-encoding': 'gzip' }, body: pieces(gzipSync(body), sizes) }),
};

/** A body of some megabytes, in parts that are read in different ways. */
function bodyOf(parts: readonly string[]): Buffer {
  return Buffer.from(`{"processing_id":"p","assets":[${parts.join(',')}],"source_id":"s\u{1f600}"}`);
}

/** Assets with characters of one to four bytes. */
function assets(count: number): string {
  const one = JSON.stringify({ ...assetResult('x'), asset_name: 'Feld ä € \u{1f600}' });
  return Array.from({ length: count }, (_, index) => one.replace('"asset_id":"x"', `"asset_id":"x${index}"`)).join(',');
}

const row = (value: string) => `{"value_date":"2024-01-01","metrics":[{"name":"moisture","value":${value}}]}`;
const asset = (id: string, rest: string) => `{"asset_id":"${id}","asset_version":7,${rest}}`;

/** Parts of a body, each of which needs more than one piece. */
const parts: Readonly<Record<string, () => string>> = {
  'many assets': () => assets(2500),
  'many rows': () => asset('rows', `"results":[${Array.from({ length: 20_000 }, (_, at) => row(`${at}.5`)).join()}]`),
  'negative zeros': () => asset('zeros', `"results":[${Array.from({ length: 9000 }, () => row('-0.0')).join()}]`),
  'a long row': () =>
    asset(
      'long',
      `"results":[${row('1')},{"value_date":"2024","metrics":[${'{"name":"m","value":1},'.repeat(40_000)}{}]}]`,
    ),
  'a long name': () => asset('name', `"asset_name":"${'ä'.repeat(400_000)}\\n","results":[${row('2')}]`),
  'long white space': () => `${' '.repeat(700_000)}${asset('space', `"results":[${' '.repeat(600_000)}${row('3')}]`)}`,
  'an unknown member': () => asset('unknown', `"later":{"a":[${'[1,{"b":"c"}],'.repeat(60_000)}null]},"results":[]`),
  // Fewer than the most errors of a response.
  'odd rows': () =>
    asset('odd', `"results":[${Array.from({ length: 300 }, () => row('"1"')).join(`,${' '.repeat(3000)}`)}]`),
  'no assets': () => Array.from({ length: 200_000 }, () => '"omitted"').join(),
};

/** Asks for a body in pieces. With a cache, one more client waits for the same call, and a third one comes later. */
async function startAsking(CACHE: string) {
  const env = { LOG_LEVEL: 'warn', MAX_OPERATION_WORK: '1000000000000', RESULTS_HOLD_BYTES: '1048576' };
  const { query, simulator } = await start({ env: { ...env, CACHE } });
  let asked = 0;
  return async (body: Buffer, delivery: Delivery, sizes: readonly number[], document = documents.whole) => {
    asked += 1;
    // Nothing is kept of it yet.
    const ask = async () => (await query(document, { token: `token-${asked}` })).body;
    simulator.intercept(() => ({ status: 200, ...delivery(body, sizes) }));
    const responses = await Promise.all(CACHE === 'off' ? [ask()] : [ask(), ask()]);
    return CACHE === 'off' ? responses : [...responses, await ask()];
  };
}

/** Compares responses with what the oracle says of the whole body. */
function expectRight(responses: readonly Answer['body'][], body: Buffer, document = documents.whole): void {
  const expected = respond(parse(document), {}, serviceOf({ bytes: () => body }));
  expect(responses.map((each) => mismatchOf(each, expected))).toEqual(responses.map(() => undefined));
}

const cases = Object.entries(deliveries).flatMap(([name, delivery]) =>
  ['off', 'memory'].map((cache) => ({ name, delivery, cache })),
);

describe.each(cases)('3.33 A large body $name, CACHE=$cache', ({ delivery, cache }) => {
  it('gives the same response to random bodies, in pieces of any size', {
    tags: ['random'],
    timeout: 30_000 + RUNS * 5000,
  }, async () => {
    const ask = await startAsking(cache);
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.constantFrom(...Object.keys(parts)), { minLength: 1, maxLength: 3 }),
        fc.array(fc.integer({ min: 20_000, max: 300_000 }), { minLength: 1, maxLength: 5 }),
        fc.constantFrom('', '\ufeff'),
        fc.constantFrom(...Object.values(documents)),
        async (names, sizes, mark, document) => {
          const body = Buffer.concat([Buffer.from(mark), bodyOf(names.map((name) => parts[name]?.() ?? ''))]);
          expectRight(await ask(body, delivery, sizes, document), body, document);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it.each(Object.entries(documents))('gives the same response where what is held is: %s', async (_held, document) => {
    const ask = await startAsking(cache);
    const body = bodyOf([assets(3000), '"omitted"']);
    expectRight(await ask(body, delivery, [65_536, 70_001], document), body, document);
  });

  it.each([
    ['ends too early', (body: Buffer) => body.subarray(0, -1)],
    ['goes on behind its end', (body: Buffer) => Buffer.concat([body, Buffer.from(' ]')])],
    ['has a byte that is not UTF-8 near its start', (body: Buffer) => withByte(body, 20, 0xff)],
    ['has a byte that is not UTF-8 near its end', (body: Buffer) => withByte(body, body.length - 5, 0xff)],
    ['ends within a character', (body: Buffer) => Buffer.concat([body, Buffer.from('\u{1f600}').subarray(0, 3)])],
    ['is no object', (body: Buffer) => withByte(body, 0, 0x5b)],
    ['has a raw line feed in a string near its start', (body: Buffer) => withByte(body, 20, 0x0a)],
  ])('is an invalid response where it %s', async (_title, spoil) => {
    const ask = await startAsking(cache);
    const body = spoil(bodyOf([assets(2500), '"omitted"']));
    for (const { data, errors } of await ask(body, delivery, [65_536, 70_001])) {
      expect(data).toEqual({ dataset: { results: null } });
      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
    }
  });

  it('that breaks off leaves no trace in the next response', async () => {
    const ask = await startAsking(cache);
    const body = bodyOf([assets(2500)]);
    const cut: Delivery = (whole, sizes) => ({ ...delivery(whole, sizes), cutAfterBytes: 90_000 });
    const [broken] = await ask(body, cut, [65_536]);
    expect(broken.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
    expectRight(await ask(body, delivery, [65_536]), body);
  });
});

/** The same body with another byte at one place. */
function withByte(body: Buffer, at: number, byte: number): Buffer {
  const spoilt = Buffer.from(body);
  spoilt[at] = byte;
  return spoilt;
}
