/** The size of a results response, as in its name: `1000x365x3`. */
export interface Size {
  readonly assets: number;
  readonly rows: number;
  readonly metrics: number;
}

export function sizeOf(name: string): Size {
  const [assets = 0, rows = 0, metrics = 0] = name.split('x').map(Number);
  return { assets, rows, metrics };
}

/** Changes the JSON of an asset. */
type Change = (json: string, asset: number) => string;

const firstValue = /"value":[^,}]+/;
const firstDate = /"value_date":"[^"]*"/;

/** What is odd about a body. */
export const changes: Readonly<Record<string, Change>> = {
  'one odd asset in a thousand': (json, asset) =>
    asset % 1000 === 500 ? json.replace(firstValue, '"value":"NaN"').replace(firstDate, '"value_date":5') : json,
  'one odd row in each asset': (json) => json.replace(firstValue, '"value":"NaN"'),
  'a new metric name in every row': (json, asset) =>
    json.replaceAll('"name":"soil_moisture"', (_, at: number) => `"name":"soil_moisture_${asset}_${at}"`),
};

/** A response in pieces: an asset each. The same name gives the same bytes. */
export function* piecesOf({ assets, rows, metrics }: Size, change: Change = (json) => json): Generator<Buffer> {
  yield Buffer.from('{"assets":[');
  for (let asset = 0; asset < assets; asset += 1) {
    const json = JSON.stringify(assetOf(asset, rows, metrics));
    yield Buffer.from(`${asset > 0 ? ',' : ''}${change(json, asset)}`);
  }
  yield Buffer.from('],"processing_id":"5f0c1b0e-2a55-4d0a-9f5b-6d1e0f4a7c11","source_id":null}');
}

const FIRST_DAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const metricNames = ['ndvi_mean', 'temperature', 'soil_moisture'];

function assetOf(asset: number, rows: number, metrics: number): object {
  const random = randomNumbers(asset);
  return {
    asset_categories: ['field', asset % 3 === 0 ? 'vineyard' : 'arable land'],
    asset_centroid_latitude: 44 + random(),
    asset_centroid_longitude: 7 + random(),
    asset_id: `asset-${String(asset).padStart(5, '0')}`,
    asset_name: `Côte ${asset}`,
    asset_surface_area_m2: random() * 100_000,
    asset_version: 1 + (asset % 4),
    parent_asset_id: `farm-${asset % 40}`,
    parent_asset_name: `Farm ${asset % 40}`,
    parent_asset_version: 2,
    results: Array.from({ length: rows }, (_, day) => ({
      value_date: `${new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 19)}Z`,
      metrics: Array.from({ length: metrics }, (__, metric) => ({
        name: metricNames[metric] ?? `metric_${metric}`,
        value: numberOf(metric, random()),
      })),
    })),
  };
}

/** Three kinds of numbers: an index with 16 digits, a temperature with two decimals, a percentage with 16 digits. */
function numberOf(metric: number, random: number): number {
  if (metric % 3 === 0) return random;
  return metric % 3 === 1 ? Math.round(random * 6000 - 2000) / 100 : random * 100;
}

/** Pseudo-random numbers from 0 to 1 (mulberry32, two steps for the digits of a double). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  const step = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return () => (step() * 2 ** 21 + (step() >>> 11)) / 2 ** 53;
}
