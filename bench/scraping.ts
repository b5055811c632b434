import type { Hazard } from './hazards.ts';
import { repeat } from './load.ts';
import { paceWhile } from './measure.ts';
import { graphqlRequest } from './requests.ts';
import { large } from './workloads.ts';

const EVERY_MS = 100;
const SECONDS = 4;

/** Somebody reads the metrics while large responses are written. */
export const scraping: Hazard = {
  title: 'metrics while 1000x365x3 is in flight',
  env: { METRICS_PORT: '0' },
  rounds: 3,
  figures: [{ figure: 'longest scrape', limit: 'at most', must: 100, unit: ' ms' }],
  measure: async (subgraph) => {
    const { origin, pathname: path } = new URL(await subgraph.printed('Metrics: '));
    const scrapes = repeat({ origin, path, method: 'GET', headers: {}, body: null });
    const load = graphqlRequest(subgraph, large.query);
    const { latenciesMs } = await paceWhile(load, scrapes, { everyMs: EVERY_MS, seconds: SECONDS });
    return { measured: [Math.max(...latenciesMs)], note: [`of ${latenciesMs.length} scrapes`] };
  },
};
