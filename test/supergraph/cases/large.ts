import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { expect } from 'vitest';
import { DATASET_ID, respondWith } from '../../support/harness.ts';
import { noteMeasurements } from '../measurements.ts';
import type { Cases } from './case.ts';
import { dailyValues } from './daily-values.ts';

const ASSETS = 1_040;
const MIN_BYTES = 70_000_000;

/** A digest of the value, not of the text: gateways may write the same number in another form. */
const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** The peak memory of a process. Only Linux reports it. */
function peakMemory(pid: number): string {
  const file = `/proc/${pid}/status`;
  const [, kilobytes] = (existsSync(file) && /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(file, 'utf8'))) || [];
  return kilobytes === undefined ? 'unknown' : `${Math.round(Number(kilobytes) / 1024)} MB`;
}

export const large: Cases = {
  'passes on results of 70 MB completely': async ({ gateway, gatewayPid, query, simulator }) => {
    const { rest, nodes } = dailyValues(ASSETS);
    expect(rest.length).toBeGreaterThan(MIN_BYTES);
    respondWith(simulator, { results: rest });
    const start = performance.now();
    const { status, body } = await query(`{
      dataset(id: "${DATASET_ID}") {
        results { series { nodes { asset { assetId name } rows { valueDate metrics { name value } } } } }
      }
    }`);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    noteMeasurements(gateway.name, {
      '70 MB: time': `${seconds} s`,
      '70 MB: peak memory of the gateway': peakMemory(gatewayPid),
    });
    expect(status).toBe(200);
    expect(body.errors).toBeUndefined();
    expect(digest(body.data)).toBe(digest({ dataset: { results: { series: { nodes } } } }));
  },
};
