/** The size that a dataset id such as `1000x365x3` encodes. */
export interface DatasetSize {
  readonly assets: number;
  readonly dates: number;
  readonly metrics: number;
  /**
   * Whether the fields of a row are in alphabetical order, as in the specification's tables, instead of the date first:
   * `1000x365x3-alphabetical`.
   */
  readonly alphabetical: boolean;
}

/** Parses a dataset id; undefined if it encodes no size. */
export function parseSize(id: string): DatasetSize | undefined {
  const [, assets, dates, metrics, order] = /^(\d{1,5})x(\d{1,5})x(\d{1,6})(-alphabetical)?$/.exec(id) ?? [];
  if (assets === undefined) return undefined;
  return {
    assets: Number(assets),
    dates: Number(dates),
    metrics: Number(metrics),
    alphabetical: order !== undefined,
  };
}

/** The id of the asset with an index. */
export function assetId(index: number): string {
  return `asset-${String(index).padStart(5, '0')}`;
}

const FIRST_DAY = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;

/** The metadata of a dataset as a REST response. */
export function summary(id: string, { assets, dates }: DatasetSize): Buffer {
  return json({
    asset_count: assets,
    attributionFile: 'attribution.txt',
    attributionText: 'Contains modified data of an example agency (2024)',
    description: `Daily vegetation, temperature and moisture of ${assets} fields over ${dates} days`,
    id,
    name: `Fields ${id}`,
    processing_id: '5f0c1b0e-2a55-4d0a-9f5b-6d1e0f4a7c11',
    processing_name: 'Field statistics',
    sharedOption: 'SHARED',
    source_id: '0b7d3c52-91f4-4f6e-8a3d-2c9e5b1a6f72',
    source_name: 'Multispectral imagery',
    start_date: FIRST_DAY,
    stop_date: FIRST_DAY + (dates - 1) * DAY_MS,
  });
}

/** The bytes before and after the comma-separated assets in a results response. */
export const results = {
  start: Buffer.from('{"assets":['),
  end: Buffer.from(
    '],"processing_id":"5f0c1b0e-2a55-4d0a-9f5b-6d1e0f4a7c11","source_id":"0b7d3c52-91f4-4f6e-8a3d-2c9e5b1a6f72"}',
  ),
};

/** The asset with an index, in a results response. Its numbers are always the same. */
export function asset(index: number, { dates, metrics, alphabetical }: DatasetSize): Buffer {
  const random = randomNumbers(index);
  const rows = Array.from({ length: dates }, (_, day) => {
    const date = `${new Date(FIRST_DAY + day * DAY_MS).toISOString().slice(0, 19)}Z`;
    const values = Array.from({ length: metrics }, (_, metric) => ({
      name: metricName(metric),
      value: metricValue(metric, random()),
    }));
    return alphabetical ? { metrics: values, value_date: date } : { value_date: date, metrics: values };
  });
  return json({
    asset_categories: ['field', index % 3 === 0 ? 'vineyard' : 'arable land'],
    asset_centroid_latitude: 44 + random(),
    asset_centroid_longitude: 7 + random(),
    asset_id: assetId(index),
    asset_name: `Côte ${index}`,
    asset_surface_area_m2: random() * 100_000,
    asset_version: 1 + (index % 4),
    parent_asset_id: `farm-${index % 40}`,
    parent_asset_name: `Farm ${index % 40}`,
    parent_asset_version: 2,
    results: rows,
  });
}

const metricNames = ['ndvi_mean', 'temperature', 'soil_moisture'];

function metricName(metric: number): string {
  return metricNames[metric] ?? `metric_${metric}`;
}

/** Three kinds of numbers: an index with 16 digits, a temperature with two decimals, a percentage with 16 digits. */
function metricValue(metric: number, random: number): number {
  if (metric % 3 === 0) return random;
  return metric % 3 === 1 ? Math.round(random * 6_000 - 2_000) / 100 : random * 100;
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

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value));
}
