import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { cpuSeconds, peakBytes } from '../../../bench/process-figures.ts';
import { median } from '../../../bench/statistics.ts';
import { DATASET_ID, respondWith } from '../../support/harness.ts';
import { noteMeasurements } from '../measurements.ts';
import type { Cases } from './case.ts';
import { dailyValues } from './daily-values.ts';

const ASSETS = 1_040;
const MIN_BYTES = 70_000_000;
/** How often the chart is queried. */
const ROUNDS = 5;
const chart = readFileSync('operations/ByDate.graphql', 'utf8');

/** The CPU seconds of a process until now; NaN if the system does not report them. */
const cpuOf = (pid: number) => cpuSeconds(pid) ?? Number.NaN;

/** A digest of the value, not of the text: gateways may write the same number in another form. */
const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

export const large: Cases = {
  'passes on results of 70 MB completely': async ({ gateway, gatewayPid, query, simulator }) => {
    const { rest, nodes } = dailyValues(ASSETS);
    expect(rest.length).toBeGreaterThan(MIN_BYTES);
    respondWith(simulator, { results: rest });
    const before = cpuOf(gatewayPid);
    const start = performance.now();
    const { status, body } = await query(`{
      dataset(id: "${DATASET_ID}") {
        results { series { nodes { asset { assetId name } rows { valueDate metrics { name value } } } } }
      }
    }`);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    noteMeasurements(gateway.name, {
      '70 MB: time': `${seconds} s`,
      '70 MB: CPU time of the gateway': `${(cpuOf(gatewayPid) - before).toFixed(1)} s`,
      '70 MB: peak memory of the gateway': `${Math.round((peakBytes(gatewayPid) ?? Number.NaN) / 2 ** 20)} MB`,
    });
    expect(status).toBe(200);
    expect(body.errors).toBeUndefined();
    expect(digest(body.data)).toBe(digest({ dataset: { results: { series: { nodes } } } }));
  },

  'passes on the chart of the same results': async ({ gateway, gatewayPid, query, querySubgraph, simulator }) => {
    const { rest } = dailyValues(ASSETS);
    respondWith(simulator, { results: rest });
    const request = { variables: { id: DATASET_ID, quantiles: [0.1, 0.5, 0.9] } };
    const { text: own, body: expected } = await querySubgraph(chart, request);
    expect(own.length).toBeLessThan(rest.length / 200);
    const times: number[] = [];
    const before = cpuOf(gatewayPid);
    for (let round = 0; round < ROUNDS; round++) {
      const start = performance.now();
      const { body } = await query(chart, request);
      times.push(performance.now() - start);
      expect(body).toEqual(expected);
    }
    noteMeasurements(gateway.name, {
      'chart: time': `${(median(times) / 1000).toFixed(2)} s`,
      'chart: CPU time of the gateway': `${Math.round(((cpuOf(gatewayPid) - before) / ROUNDS) * 1000)} ms`,
    });
  },
};
