import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { asset, parseSize, results } from '../../bench/dataset.ts';
import { ODD_BASE, oddAssets, oddIds } from '../../bench/odd-bodies.ts';
import { type Fault, type SimulatedDataset, type Simulator, startSimulator } from '../../simulator/src/simulator.ts';
import { pick, randomNumbers } from './random.ts';

export const TOKEN = 'token-of-the-soak';

/** The maximum size of a REST response. The bomb is larger. */
export const MAX_BYTES = 64 * 2 ** 20;

/** A dataset whose id encodes its size: assets, dates and metrics. */
function datasetOf(assets: number, dates: number, metrics: number): SimulatedDataset {
  const id = `${assets}x${dates}x${metrics}`;
  const days = Array.from({ length: dates }, (_, day) =>
    new Date(Date.UTC(2020, 0, 1 + day)).toISOString().slice(0, 10),
  );
  return {
    metadata: { id, name: `Dataset ${id}`, asset_count: assets, sharedOption: 'OWNED', start_date: 1_577_836_800_000 },
    results: {
      processing_id: 'p-1',
      source_id: 's-1',
      assets: Array.from({ length: assets }, (_, asset) => ({
        asset_id: assetId(asset),
        asset_name: `Asset ${asset}`,
        asset_version: 1,
        asset_categories: ['field'],
        asset_centroid_latitude: 45.5,
        asset_centroid_longitude: 7.25,
        results: days.map((value_date, day) => ({
          value_date,
          metrics: Array.from({ length: metrics }, (_, metric) => ({
            name: `metric${metric}`,
            value: day + metric / 8,
          })),
        })),
      })),
    },
  };
}

export const assetId = (index: number) => `asset-${index}`;
export const SMALL = '10x10x2';
export const MIDDLE = '100x50x3';
export const LARGE = '300x365x3';
export const TINY = Array.from({ length: 20 }, (_, index) => `${index + 1}x1x1`);

/** The size of the odd bodies relative to those of the benchmark: about 7 MB. */
const ODD_SHARE = 0.1;

/** The odd bodies by dataset id. */
function oddBodies(): ReadonlyMap<string, Buffer> {
  const size = parseSize(ODD_BASE);
  if (size === undefined) throw new Error(`${ODD_BASE} is not a dataset id.`);
  const base = Array.from({ length: size.assets * ODD_SHARE }, (_, index) => asset(index, size));
  const comma = Buffer.from(',');
  return new Map(
    oddIds.map((id) => {
      const assets = oddAssets(id, () => base, ODD_SHARE) ?? [];
      const separated = assets.flatMap((one, index) => (index > 0 ? [comma, one] : one));
      return [id, Buffer.concat([results.start, ...separated, results.end])];
    }),
  );
}

export { oddIds as ODD };

async function* drip(): AsyncGenerator<string> {
  yield '{"assets":[';
  // Ends when the subgraph disconnects.
  for (;;) {
    await setTimeout(100);
    yield ' ';
  }
}

/** A file of several chunks. */
const file = { name: 'data.csv', contentType: 'text/csv', bytes: Buffer.alloc(300_000, 'a,b\n') };

const bomb = gzipSync(Buffer.alloc(MAX_BYTES + 2 ** 20, ' '));
const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

/** All faults of a call. Expensive ones are rarer. */
const faults: readonly { readonly weight: number; readonly fault: () => Fault }[] = [
  ...[201, 204, 302, 400, 401, 403, 404, 405, 409, 418, 429, 500, 502, 503, 504].map((status) => ({
    weight: 2,
    fault: () => ({ status, ...(status === 302 && { headers: { location: 'http://127.0.0.1:1/' }, body: '' }) }),
  })),
  { weight: 4, fault: () => ({ reset: true }) },
  { weight: 4, fault: () => ({ cutAfterBytes: 0 }) },
  { weight: 4, fault: () => ({ cutAfterBytes: 30 }) },
  { weight: 2, fault: () => ({ hang: true }) },
  { weight: 2, fault: () => ({ body: drip() }) },
  { weight: 3, fault: () => ({ body: '<p>Sorry</p>', headers: { 'content-type': 'text/html' } }) },
  { weight: 3, fault: () => ({ body: '' }) },
  { weight: 3, fault: () => ({ body: '{"name":"x","assets":[{"asset_id":"a"' }) },
  { weight: 3, fault: () => ({ body: '{"name":["x"],"assets":[1,{"asset_id":2},{"asset_id":"a","results":"x"}]}' }) },
  { weight: 3, fault: () => ({ body: '{}', headers: { 'content-length': '999999999999' }, cutAfterBytes: 2 }) },
  { weight: 3, fault: () => ({ body: 'x', headers: { 'content-encoding': 'gzip' } }) },
  { weight: 3, fault: () => ({ body: 'x', headers: { 'content-encoding': 'zstd' } }) },
  { weight: 3, fault: () => ({ status: 429, headers: { 'retry-after': '3600' } }) },
  { weight: 1, fault: () => ({ body: deep }) },
  { weight: 0.2, fault: () => ({ body: bomb, headers: { 'content-encoding': 'gzip' } }) },
];

/** The faults of a file. One without an end would never be read to its end. */
const fileFaults: readonly { readonly weight: number; readonly fault: () => Fault }[] = [
  { weight: 1, fault: () => ({ status: 404 }) },
  { weight: 1, fault: () => ({ status: 500 }) },
  { weight: 1, fault: () => ({ reset: true }) },
  { weight: 1, fault: () => ({ cutAfterBytes: 30 }) },
];

/** A REST service with faulty calls and outages. */
export interface FaultyService {
  readonly url: string;
  /** How many calls it has received. */
  calls(): number;
  /** While it is down, every call is reset. */
  setDown(down: boolean): void;
  close(): Promise<void>;
}

/** Starts the service. `share` is the share of faulty calls. */
export async function startFaultyService(share: number): Promise<FaultyService> {
  const simulator: Simulator = await startSimulator({
    accounts: [{ email: 'soak@example.com', password: 'secret', token: TOKEN }],
    datasets: [SMALL, MIDDLE, LARGE, ...TINY].map((id) => {
      const [assets = 1, dates = 1, metrics = 1] = id.split('x').map(Number);
      const dataset = datasetOf(assets, dates, metrics);
      return id === SMALL ? { ...dataset, file } : dataset;
    }),
  });
  const random = randomNumbers(1);
  const odd = oddBodies();
  let calls = 0;
  let isDown = false;
  simulator.intercept(({ operation, datasetId = '' }) => {
    calls += 1;
    // Otherwise the list of requests would grow.
    simulator.clear();
    if (isDown) return { reset: true };
    if (random() < share) return pick(operation === 'downloadStaticDataset' ? fileFaults : faults, random).fault();
    const body = odd.get(datasetId);
    return body && { status: 200, body };
  });
  return {
    url: simulator.url,
    calls: () => calls,
    setDown: (down) => {
      isDown = down;
    },
    close: () => simulator.close(),
  };
}
