import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from '../support/eventually.ts';
import { type Answer, ofDataset, start, type TestBed } from '../support/harness.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const MEGABYTE = 2 ** 20;

/** More than goes into one chunk, so that it gets memory that is used again. */
const ROWS = 25_000;

/** A results answer of about two megabytes in which every number is this one. */
function resultsOf(number: number): string {
  const rows = Array.from({ length: ROWS }, (_, row) => ({
    value_date: `row ${row}`,
    metrics: [{ name: 'm', value: number }],
  }));
  return JSON.stringify({ processing_id: `p-${number}`, assets: [{ asset_id: 'a', results: rows }] });
}

/** A metadata answer of about two megabytes, all of it the same letter. */
const metadataOf = (number: number): string => JSON.stringify({ name: letterOf(number).repeat(2 * MEGABYTE) });

const letterOf = (number: number): string => String.fromCharCode(97 + (number % 26));

const series = ofDataset('results { processingId series { nodes { rows { valueDate value(metric: "m") } } } }');

function expectOwnResults({ text }: Answer, number: number): void {
  const rows = Array.from({ length: ROWS }, (_, row) => ({ valueDate: `row ${row}`, value: number }));
  const expected = {
    data: { dataset: { results: { processingId: `p-${number}`, series: { nodes: [{ rows }] } } } },
  };
  // Not toEqual: of a difference in two megabytes it would make a page of text.
  expect(text === `${JSON.stringify(expected)}\n`).toBe(true);
}

function expectOwnName({ body }: Answer, number: number): void {
  expect(body.errors).toBeUndefined();
  expect(body.data.dataset.name === letterOf(number).repeat(2 * MEGABYTE)).toBe(true);
}

/** What happens to a request, and what is to come of it. */
type Fate = 'answered' | 'cut off' | 'failed once' | 'left';
const fates: readonly Fate[] = ['answered', 'cut off', 'failed once', 'answered', 'left', 'answered'];

/*
 * Clause 3.33 of docs/contract.md in detail.
 * The memory of large responses has one owner at a time, whatever happens to a response. A complete response is read
 * even if the service closes the connection behind it.
 */
describe('3.33 The memory of large responses', () => {
  it('never has two owners, whatever becomes of the others', async () => {
    const bed = await start({ env: { UPSTREAM_CONNECTIONS: '4' } });
    for (let call = 0; call < 30; call += 1) await bed.query(ofDataset('name'));
    const failed = new Set<string>();
    bed.simulator.intercept(({ datasetId = '', operation }): Fault => {
      const number = Number(datasetId);
      const fate = fates[number % fates.length];
      const body = operation === 'getDatasetMetadata' ? metadataOf(number) : resultsOf(number);
      const key = `${operation} ${datasetId}`;
      if (fate === 'failed once' && !failed.has(key)) {
        failed.add(key);
        return { status: 503 };
      }
      return { status: 200, body, ...(fate === 'cut off' && { cutAfterBytes: body.length - 1000 }) };
    });
    let next = 0;
    const lane = async () => {
      while (next < 24) {
        const number = next++;
        const fate = fates[number % fates.length];
        // A POST is not repeated.
        const isMetadata = fate === 'failed once' || number % 2 === 0;
        const response = ask(bed, isMetadata ? ofDataset('name') : series, number, fate);
        if (fate === 'left') {
          await expect(response).rejects.toThrow('aborted');
        } else if (fate === 'cut off') {
          expect((await response).body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
        } else {
          (isMetadata ? expectOwnName : expectOwnResults)(await response, number);
        }
      }
    };
    await Promise.all(Array.from({ length: 6 }, lane));
  });

  it.each<[string, () => Fault, string]>([
    ['a bomb of gzip', () => gzipBomb, 'UPSTREAM_RESPONSE_TOO_LARGE'],
    ['a bomb of brotli', () => brotliBomb, 'UPSTREAM_RESPONSE_TOO_LARGE'],
    ['a body without end', () => ({ body: endless() }), 'UPSTREAM_RESPONSE_TOO_LARGE'],
    ['a bomb in place of an error', () => ({ ...gzipBomb, status: 500 }), 'UPSTREAM_ERROR'],
  ])('is bounded by UPSTREAM_MAX_BYTES: %s', async (_case, fault, code) => {
    const limit = 16 * MEGABYTE;
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: `${limit}` } });
    bed.simulator.intercept(fault);
    collectGarbage();
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    let isDone = false;
    const response = bed.query(ofDataset('name')).finally(() => {
      isDone = true;
    });
    const mostAllowed = 1.75 * limit;
    const held = () => process.memoryUsage().arrayBuffers - before;
    while (!isDone) {
      await turn();
      // What is garbage is released a moment after it is collected.
      for (let times = 0; held() > mostAllowed && times < 5; times += 1) {
        collectGarbage();
        await turn();
      }
      most = Math.max(most, held());
    }
    expect((await response).body.errors).toMatchObject([{ extensions: { code } }]);
    expect(most).toBeLessThan(mostAllowed);
  });

  it('is given back to the system when nothing else happens', async () => {
    const bed = await start();
    const size = 40 * MEGABYTE;
    const body = JSON.stringify({ processing_id: 'p', assets: [], unknown: 'x'.repeat(size) });
    bed.simulator.intercept(() => ({ body }));
    // Else what other tests have left may be collected meanwhile.
    collectGarbage();
    await turn();
    const before = process.memoryUsage().arrayBuffers;
    // All of it is kept: it does not pass to two fields.
    const document = ofDataset('results { one: series { nodes { rowCount } } two: series { nodes { rowCount } } }');
    expect((await bed.query(document)).body.errors).toBeUndefined();
    expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(size);
    await eventually(() => expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(size), {
      interval: 1000,
    });
  });

  it('is free again, and so are sockets and timers, when all that went wrong is over', async () => {
    const bed = await start({
      env: { UPSTREAM_MAX_BYTES: `${4 * MEGABYTE}`, UPSTREAM_TIMEOUT_MS: '100', UPSTREAM_OUTAGE_MS: '0' },
    });
    const large = metadataOf(1);
    const faults: (() => Fault)[] = [
      () => ({ body: large, cutAfterBytes: large.length - 1 }),
      () => gzipBomb,
      () => ({ body: endless() }),
      () => ({ hang: true }),
      () => ({ status: 503 }),
      () => ({ reset: true }),
      () => ({ body: '<html>' }),
    ];
    const used = async () => {
      bed.simulator.intercept(undefined);
      await bed.query(ofDataset('name'));
      // Answers and connections end a little after the last of their bytes.
      await wait(20);
      collectGarbage();
      const resources = process.getActiveResourcesInfo();
      const count = (kind: string) => resources.filter((resource) => resource === kind).length;
      return {
        megabytes: process.memoryUsage().arrayBuffers / MEGABYTE,
        sockets: count('TCPSocketWrap'),
        timers: count('Timeout'),
      };
    };
    const storm = async (rounds: number) => {
      for (let round = 0; round < rounds; round += 1) {
        for (const fault of faults) {
          bed.simulator.intercept(fault);
          await Promise.all(Array.from({ length: 4 }, () => bed.query(ofDataset('name'))));
        }
      }
    };
    await storm(1);
    const before = await used();
    await storm(5);
    let after = await used();
    // Not eventually(), which has timers of its own.
    // 140 large answers have come meanwhile.
    const isOver = () =>
      after.sockets <= before.sockets && after.timers <= before.timers && after.megabytes < before.megabytes + 20;
    for (let look = 0; look < 50 && !isOver(); look += 1) after = await used();
    expect([isOver(), before, after]).toEqual([true, before, after]);
  });
});

/** Twenty members of gzip, ten megabytes each; about 200 kB. */
const gzipBomb = {
  headers: { 'content-encoding': 'gzip' },
  body: Buffer.concat(Array(20).fill(gzipSync(Buffer.alloc(10 * MEGABYTE)))),
};

const brotliBomb = {
  headers: { 'content-encoding': 'br' },
  body: brotliCompressSync(Buffer.alloc(200 * MEGABYTE), { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } }),
};

async function* endless(): AsyncGenerator<Uint8Array> {
  const spaces = Buffer.alloc(16_384, 32);
  for (;;) yield spaces;
}

/** One query; its caller may leave as soon as the answer is on its way. */
async function ask({ query, log }: TestBed, document: string, number: number, fate: Fate | undefined): Promise<Answer> {
  const leaving = new AbortController();
  const response = query(document, { variables: { id: `${number}` }, signal: leaving.signal });
  if (fate === 'left') {
    const lines = log.length;
    await eventually(() => expect(log.length).toBeGreaterThan(lines), { interval: 1 });
    leaving.abort();
  }
  return response;
}
