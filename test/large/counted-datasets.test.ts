import { readFileSync } from 'node:fs';
import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { SeparateSubgraph } from './separate-subgraph.ts';

const DATASETS = 40;
const MB = 1e6;

/** More than all of them take together would fit into, with the process itself. */
const MAX_PEAK = 600 * MB;

const subgraph = new SeparateSubgraph({ UPSTREAM_MAX_CALLS: '100', UPSTREAM_TIMEOUT_MS: '240000' });

/** Results of about 48 MB: assets with a year of three metrics. */
function results(): { body: Buffer; assets: number } {
  const metrics = ['ndvi', 'moisture', 'temperature'].map((name, index) => `{"name":"${name}","value":${index}.123}`);
  const rows = Array.from({ length: 365 }, () => `{"value_date":"2024-01-01","metrics":[${metrics.join()}]}`).join();
  const asset = (index: number) => `{"asset_id":"asset-${index}","asset_version":1,"results":[${rows}]}`;
  const assets = Math.ceil((48 * MB) / asset(1000).length);
  return {
    body: Buffer.from(`{"assets":[${Array.from({ length: assets }, (_, index) => asset(index)).join()}]}`),
    assets,
  };
}

/** The most memory that the process had, in bytes. */
function peak(): number {
  const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${subgraph.pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

describe('3.33 Forty datasets of 48 MB', () => {
  it.each([
    ['seriesCount', (assets: number) => ({ seriesCount: assets })],
    [
      'metricNames seriesCount again: metricNames',
      (assets: number) => {
        const names = ['ndvi', 'moisture', 'temperature'];
        return { metricNames: names, seriesCount: assets, again: names };
      },
    ],
  ])('are counted in little memory: %s', { timeout: 300_000 }, async (selection, expected) => {
    const { body, assets } = results();
    subgraph.answer = () => body;
    const ids = Array.from({ length: DATASETS }, (_, index) => `d${index}`);
    const query = `query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { ${selection} } }`;
    const response = await request(`${subgraph.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: JSON.stringify({ query, variables: { ids } }),
      headersTimeout: 0,
      bodyTimeout: 0,
    });
    expect(await response.body.json()).toEqual({ data: { datasetsByIds: ids.map(() => expected(assets)) } });
    expect(peak()).toBeLessThan(MAX_PEAK);
  });
});
