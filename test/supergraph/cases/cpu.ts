import { expect } from 'vitest';
import { cpuSeconds } from '../../../bench/process-figures.ts';
import { DATASET_ID, respondWith } from '../../support/harness.ts';
import { type Measure, noteMeasurements } from '../measurements.ts';
import type { Cases } from './case.ts';
import { dailyValues, METRICS } from './daily-values.ts';

const ASSETS = 45;
const MIN_BYTES = 3_000_000;
/** More than one, because the system counts CPU time in steps of ten milliseconds. */
const QUERIES = 10;

/** The CPU time of a process until now, in milliseconds; NaN if the system does not report it. */
const cpuMs = (pid: number) => (cpuSeconds(pid) ?? Number.NaN) * 1000;

const ofSeries = (selection: string) =>
  `{ dataset(id: "${DATASET_ID}") { results { series { nodes { asset { assetId name } ${selection} } } } } }`;

const queries = {
  rows: ofSeries('rows { valueDate metrics { name value } }'),
  columns: ofSeries('columns { valueDates metrics { name values } }'),
};

export const cpu: Cases = {
  'passes on 3 MB of rows, and the same values as columns': async ({ simulator, query, ...rig }) => {
    const { rest, nodes } = dailyValues(ASSETS);
    respondWith(simulator, { results: rest });
    const columns = nodes.map(({ asset, rows }) => ({
      asset,
      columns: {
        valueDates: rows.map(({ valueDate }) => valueDate),
        metrics: METRICS.map((name, metric) => ({ name, values: rows.map(({ metrics }) => metrics[metric]?.value) })),
      },
    }));
    const expected = { rows: nodes, columns };
    const pids = { gateway: rig.gatewayPid, subgraph: rig.subgraphPid };
    const bytes = { rows: 0, columns: 0 };
    for (const form of ['rows', 'columns'] as const) {
      const { text, body } = await query(queries[form]);
      expect(body).toEqual({ data: { dataset: { results: { series: { nodes: expected[form] } } } } });
      bytes[form] = text.length;
      const start = { gateway: cpuMs(pids.gateway), subgraph: cpuMs(pids.subgraph) };
      for (let index = 0; index < QUERIES; index++) await query(queries[form]);
      const cost = (name: keyof typeof pids) => Math.round((cpuMs(pids[name]) - start[name]) / QUERIES);
      noteMeasurements(rig.gateway.name, {
        [`${form}: CPU time of the gateway` satisfies Measure]: `${cost('gateway')} ms`,
        [`${form}: CPU time of the subgraph` satisfies Measure]: `${cost('subgraph')} ms`,
      });
    }
    expect(bytes.rows).toBeGreaterThan(MIN_BYTES);
    expect(bytes.columns).toBeLessThan(bytes.rows / 2);
  },
};
