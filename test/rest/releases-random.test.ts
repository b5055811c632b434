import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/faults.ts';
import { eventually } from '../support/eventually.ts';
import { DATASET_ID, ofDataset, type TestBed, TOKEN } from '../support/harness.ts';
import { samples, startMeasured } from '../support/metrics.ts';
import { randomCases } from '../support/random-cases.ts';
import { resultsPath } from '../support/results-files.ts';

/** How many batches of requests are made. */
const CASES = randomCases(4);

/** Some hundred kilobytes: more than counts as small. */
const rows = Array.from({ length: 1500 }, (_, day) => ({
  value_date: new Date(Date.UTC(2000, 0, 1 + day)).toISOString(),
  metrics: [{ name: 'm', value: day }],
}));
const results = JSON.stringify({
  processing_id: 'p',
  assets: [1, 2, 3].map((id) => ({ asset_id: `${id}`, results: rows })),
});

const faults: Record<string, (body: string) => Fault | undefined> = {
  none: () => undefined,
  'a 401': () => ({ status: 401 }),
  'a 403': () => ({ status: 403 }),
  'a 404': () => ({ status: 404 }),
  'a 500': () => ({ status: 500, body: 'x'.repeat(100_000) }),
  'a 503': () => ({ status: 503 }),
  'a reset': () => ({ reset: true }),
  'a cut': (body) => ({ body, cutAfterBytes: Math.floor(body.length / 2) }),
  'half of it': (body) => ({ body: body.slice(0, body.length / 2) }),
  'another type': () => ({
    body: '{"name":5,"assets":[{"asset_id":"a","results":[{"value_date":"d","metrics":[{"value":"x"}]}]}]}',
  }),
  'no end': () => ({ hang: true }),
};

const documents = {
  metadata: ofDataset('name'),
  rows: ofDataset('results { series { nodes { rows { valueDate metrics { value } } } } }'),
  byDate: ofDataset('results { byDate { metrics { means quantiles(of: 0.5) } } }'),
  both: ofDataset('name results { statistics { mean } }'),
  asset: ofDataset('asset(assetId: "2") { series { latest { valueDate } } }'),
};
const paths = {
  csv: resultsPath('format=csv'),
  wide: resultsPath('format=csv&layout=wide'),
  parquet: resultsPath('format=parquet&of=byDate&quantile=0.5'),
  arrow: resultsPath('format=arrow'),
  statistics: resultsPath('format=ndjson&of=statistics'),
  file: `/download/dataset/${DATASET_ID}`,
};

const request = fc.record({
  what: fc.constantFrom(...Object.keys(documents), ...Object.keys(paths)),
  /** Whether the client leaves, and after how many turns of the event loop. */
  leavesAfter: fc.option(fc.nat(20), { freq: 3 }),
});
const batchesWith = (kinds: readonly string[]) =>
  fc.record({
    requests: fc.array(request, { minLength: 4, maxLength: 16 }),
    faults: fc.array(fc.constantFrom(...kinds), { minLength: 1, maxLength: 20 }),
  });

/** What must be 0 when no request runs. */
const gauges = [
  'http_server_active_requests',
  'graphql_operations_in_flight',
  'downloads_in_flight',
  'http_client_queue_length',
  'rest_memory_held_bytes',
  'rest_memory_waiting_responses',
  ...['calls', 'downloads'].flatMap((pool) =>
    ['running', 'pending'].map((state) => `http_client_connections{pool="${pool}",state="${state}"}`),
  ),
];

/** Makes a request, and forgets what comes. */
async function ask(bed: TestBed, what: string, signal?: AbortSignal): Promise<number> {
  const options = signal === undefined ? {} : { signal };
  if (what in documents) return (await bed.query(documents[what as keyof typeof documents], options)).status;
  const headers = { authorization: `Bearer ${TOKEN}` };
  return (await bed.http(paths[what as keyof typeof paths], { headers, ...options })).status;
}

/*
 * Clauses 3.10, 3.32, 3.33 and 3.35 of docs/contract.md in detail.
 * Whatever becomes of requests, files and their REST calls, what they held is free afterwards: memory, sockets, and their
 * places among the operations, the downloads and the calls.
 */
describe('3.10, 3.32, 3.33, 3.35 When requests are over', () => {
  it.each(['off', 'memory'])(
    'nothing is held, however they ended: CACHE=%s',
    { tags: ['random'], timeout: 60_000 + CASES * 10_000 },
    async (CACHE) => {
      const bed = await startMeasured({
        env: {
          CACHE,
          LOG_LEVEL: 'silent',
          UPSTREAM_TIMEOUT_MS: '300',
          UPSTREAM_CONNECTIONS: '3',
          UPSTREAM_QUEUE: '4',
          UPSTREAM_OUTAGE_MS: '0',
          MAX_DOWNLOADS: '3',
          MEMORY_BUDGET: '26000000',
        },
      });
      // A cache keeps values of another type, and a file of them is an error.
      const batches = batchesWith(Object.keys(faults).filter((kind) => CACHE === 'off' || kind !== 'another type'));
      let next: string[] = [];
      bed.simulator.intercept(({ operation }) => {
        const fault = faults[next.shift() ?? 'none'];
        const body = operation === 'getDatasetResults' ? results : '{"name":"n"}';
        return { status: 200, body, ...fault?.(body) };
      });
      await fc.assert(
        fc.asyncProperty(batches, async ({ requests, faults: drawn }) => {
          next = [...drawn];
          await Promise.all(
            requests.map(async ({ what, leavesAfter }) => {
              const leaving = new AbortController();
              const response = ask(bed, what, leaving.signal).catch(() => undefined);
              for (let turns = leavesAfter ?? 0; turns > 0; turns -= 1) await new Promise(setImmediate);
              if (leavesAfter !== null) leaving.abort();
              await response;
            }),
          );
          await eventually(async () => {
            const read = await samples(bed);
            expect(Object.fromEntries(gauges.map((gauge) => [gauge, read.get(gauge) ?? 0]))).toEqual(
              Object.fromEntries(gauges.map((gauge) => [gauge, 0])),
            );
          });
          // And there is a place for each of them again.
          next = [];
          for (const what of [...Object.keys(documents), ...Object.keys(paths)])
            expect([what, await ask(bed, what)]).toEqual([what, 200]);
        }),
        // What is held stays held, so a simpler case cannot be looked for.
        { numRuns: CASES, endOnFailure: true },
      );
    },
  );
});
