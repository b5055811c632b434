import { assetId } from './dataset.ts';

/** Changes the JSON text of one asset. */
type Change = (asset: string) => string;

const firstValue = /"value":[^,}]+/;
const firstDate = /"value_date":("[^"]*")/;

/** Bodies of the large dataset with one changed asset. */
const changes: Readonly<Record<string, Change>> = {
  'one-odd-asset': (asset) =>
    asset.replace(firstValue, '"value":"NaN"').replace(/"value_date":"2024-01-02[^"]*"/, '"value_date":5'),
  'negative-zero': (asset) => asset.replace(firstValue, '"value":-0.0'),
  'text-nan': (asset) => asset.replace(firstValue, '"value":"NaN"'),
  'escaped-key': (asset) => asset.replace('"value_date"', '"value\\u005fdate"'),
  'repeated-key': (asset) => asset.replace(firstDate, '"value_date":$1,"value_date":$1'),
  'no-asset-id': (asset) => asset.replace(/"asset_id":"[^"]*",/, ''),
};

const changedEverywhere: Readonly<Record<string, () => Change>> = {
  'new-metric-names': () => {
    let row = 0;
    return (asset) =>
      asset.replaceAll('"name":"soil_moisture"', () => {
        row += 1;
        return `"name":"soil_moisture_${row}"`;
      });
  },
};

const ASSETS_WITHOUT_ROWS = 3_000_000;
const ASSETS_WITH_NUMERIC_NAMES = 1_000_000;

const generated: Readonly<Record<string, (share: number) => Iterable<string>>> = {
  *'assets-without-rows'(share) {
    for (let index = 0; index < ASSETS_WITHOUT_ROWS * share; index += 1) yield `{"asset_id":"${index}"}`;
  },
  *'numeric-asset-names'(share) {
    for (let index = 0; index < ASSETS_WITH_NUMERIC_NAMES * share; index += 1) {
      yield `{"asset_id":"${assetId(index)}","asset_name":${index},"asset_version":1,"results":[]}`;
    }
  },
};

/** The dataset whose body is changed into odd bodies. */
export const ODD_BASE = '1000x365x3';

/** The dataset ids of odd bodies, each of about 70 MB. */
export const oddIds = [...Object.keys(changes), ...Object.keys(changedEverywhere), ...Object.keys(generated)];

/**
 * The comma-separated assets of an odd body, in chunks; undefined for an unknown id.
 *
 * @param base the assets of `ODD_BASE`, or some of them
 * @param share for bodies that do not use `base`: the part to generate, from 0 to 1
 */
export function oddAssets(id: string, base: () => readonly Buffer[], share = 1): Buffer[] | undefined {
  const change = changes[id];
  if (change !== undefined) {
    const assets = base();
    const odd = Math.floor(assets.length / 2);
    return assets.map((asset, index) => (index === odd ? Buffer.from(change(asset.toString())) : asset));
  }
  const changeEach = changedEverywhere[id]?.();
  if (changeEach !== undefined) return base().map((asset) => Buffer.from(changeEach(asset.toString())));
  const made = generated[id]?.(share);
  return made && joined(made);
}

/** Joins texts into buffers of a few thousand each. */
function joined(texts: Iterable<string>): Buffer[] {
  const buffers: Buffer[] = [];
  let batch: string[] = [];
  for (const text of texts) {
    batch.push(text);
    if (batch.length === 4096) {
      buffers.push(Buffer.from(batch.join()));
      batch = [];
    }
  }
  return batch.length === 0 ? buffers : [...buffers, Buffer.from(batch.join())];
}
