import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { DATASET_ID, respondWith } from '../../support/harness.ts';
import { isNight } from '../gateways/gateways.ts';
import type { Cases } from './case.ts';

/** Of 67 kB each: 3 MB, and 70 MB each night. */
const ASSETS = isNight ? 1_040 : 45;
const DATES = 365;
const METRICS = ['ndvi_mean', 'temperature', 'soil_moisture'];

/** A REST response with daily values, and the nodes of a query for its rows and columns. */
function dailyValues() {
  const assets = Array.from({ length: ASSETS }, (_, asset) => {
    const results = Array.from({ length: DATES }, (_, day) => ({
      value_date: new Date(Date.UTC(2024, 0, 1 + day)).toISOString(),
      metrics: METRICS.map((name, metric) => ({ name, value: Math.sin((asset * DATES + day) * 3 + metric) })),
    }));
    return { asset_id: `asset-${asset}`, asset_name: `Côte ${asset}`, results };
  });
  const nodesOf = (values: (results: (typeof assets)[number]['results']) => object) =>
    assets.map(({ asset_id: assetId, asset_name: name, results }) => ({
      asset: { assetId, name },
      ...values(results),
    }));
  return {
    rest: JSON.stringify({ assets }),
    rows: nodesOf((results) => ({
      rows: results.map(({ value_date: valueDate, metrics }) => ({ valueDate, metrics })),
    })),
    columns: nodesOf((results) => ({
      columns: {
        valueDates: results.map(({ value_date }) => value_date),
        metrics: METRICS.map((name, metric) => ({
          name,
          values: results.map(({ metrics }) => metrics[metric]?.value),
        })),
      },
    })),
  };
}

/** A digest of the value, not of the text: gateways may write the same number in another form. */
const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

export const large: Cases = {
  'passes on large results completely, and the same values as columns in less than half of the bytes': async (rig) => {
    const { rest, rows, columns } = dailyValues();
    respondWith(rig.simulator, { results: rest });
    const sizes: number[] = [];
    for (const [selection, nodes] of [
      ['rows { valueDate metrics { name value } }', rows],
      ['columns { valueDates metrics { name values } }', columns],
    ] as const) {
      const series = `series { nodes { asset { assetId name } ${selection} } }`;
      const { status, text, body } = await rig.query(`{ dataset(id: "${DATASET_ID}") { results { ${series} } } }`);
      expect([status, body.errors]).toEqual([200, undefined]);
      expect(digest(body.data)).toBe(digest({ dataset: { results: { series: { nodes } } } }));
      sizes.push(text.length);
    }
    const [ofRows = 0, ofColumns = 0] = sizes;
    expect(ofRows).toBeGreaterThan(60_000 * ASSETS);
    expect(ofColumns).toBeLessThan(ofRows / 2);
  },
};
