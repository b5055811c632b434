import { availableParallelism } from 'node:os';
import { mixtureShares } from '../deploy/scaling-tables.ts';
import { cacheTable } from './cache-table.ts';
import { contestantKinds, contestantNames } from './contestants.ts';
import { type Basis, holds, type Ratio, ratios, show } from './ratios.ts';
import { table } from './table.ts';
import { large } from './workloads.ts';

const MEGABYTE = 1e6;
const NONE = '-';

/** Everything measured, a line for each kind of work and contestant, as a Markdown table. */
export function measuredTable({ results }: Basis): string {
  const lines = results.work().flatMap((work) =>
    contestantNames.flatMap((name) => {
      const sample = results.summary(work, name);
      const ours = results.summary(work, 'subgraph');
      if (sample === undefined) return [];
      const { responsesPerSecond, p50Ms, p99Ms, peakBytes, cpuMs, restCalls } = sample;
      const inFlight = work.background !== undefined;
      const times = ours && (inFlight ? p99Ms / ours.p99Ms : ours.responsesPerSecond / responsesPerSecond);
      return [
        [
          work.title,
          contestantKinds[name].title,
          inFlight ? NONE : number(responsesPerSecond),
          number(p50Ms),
          number(p99Ms),
          number(peakBytes && peakBytes / MEGABYTE),
          number(cpuMs),
          restCalls === undefined ? NONE : String(Number(restCalls.toFixed(2))),
          name === 'subgraph' || times === undefined ? NONE : `${number(times)}x`,
        ],
      ];
    }),
  );

  return table(
    [
      'work',
      'contestant',
      'responses/s',
      'p50 ms',
      'p99 ms',
      'peak MB above idle',
      'CPU ms/response',
      'REST calls',
      'this subgraph is faster',
    ],
    lines,
  );
}

/** The figures that must hold, as a Markdown table: all of them, or only those that were measured. */
export function ratioTable(basis: Basis, which: 'all' | 'measured'): string {
  const shown = ratios(basis).filter(({ measured }) => which === 'all' || measured !== undefined);
  return table(
    ['figure', 'must hold', 'aim', 'measured', ''],
    shown.map((ratio) => [
      ratio.figure,
      `${ratio.limit} ${ratio.must}${ratio.unit}`,
      ratio.aim === undefined ? '' : `${ratio.aim}${ratio.unit}`,
      show(ratio.measured, ratio.unit) + (ratio.note === undefined ? '' : ` (${ratio.note})`),
      verdict(ratio),
    ]),
  );
}

function verdict(ratio: Ratio): string {
  if (ratio.measured === undefined) return 'NOT MEASURED';
  return holds(ratio) ? 'ok' : 'MISSED';
}

/** A sentence that names the figures that do not hold. */
function missed(basis: Basis): string {
  const all = ratios(basis);
  const figures = all.filter((ratio) => verdict(ratio) === 'MISSED').map(({ figure }) => `- ${figure}`);
  return `${figures.length} of ${all.length} figures miss what must hold:\n\n${figures.join('\n')}`;
}

/** The whole report, as a Markdown page. */
export function page(basis: Basis, { minutes }: { minutes: number }): string {
  const { node } = process.versions;
  const machine = `${availableParallelism()} CPU cores, Node.js ${node}, ${process.platform} ${process.arch}`;
  return `# Results of the benchmark

Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)} in ${minutes.toFixed(0)} minutes: ${machine}.
The REST service, the contestant and the load generator share the machine, so only the ratios are meaningful.

${missed(basis)}

## Thresholds

${ratioTable(basis, 'all')}

## Measurements

${measuredTable(basis)}

## The cache

Each figure with the cache, against that without it.

${cacheTable(basis.results)}

## Method

- **Work.** \`1000x365x3\` stands for 1000 assets with 365 dates of 3 metrics${bodySize(basis)}. Metadata,
  \`10x10x3\` and the like are requested on many connections at once, large results one at a time. Each response is read to its end.
  Unless the title says otherwise, every field of the assets and all rows are selected.
- **Contestants**, each in a separate process on this machine, \`NODE_ENV=production\`, else with default settings:
  this subgraph, which logs each REST call; the same without these lines, with metrics, with traces, and with a cache; an [ordinary subgraph](ordinary), written as Apollo's documentation
  teaches, with RESTDataSource, DataLoader and plain resolvers; the same schema with Mercurius and its JIT, and with
  graphql-jit; a relay that does \`JSON.parse\` and \`JSON.stringify\`; a pipe that copies bytes. Relay and pipe serve the REST call
  itself, without GraphQL. For work that needs several REST calls the relay makes all of them at the same time for each request, and
  responds with all their data as one JSON: the least work for a program that uses objects.
- **The same data.** Before the measurement, every GraphQL contestant must return the same data for every query, without
  errors. Relay and pipe must return the data of the REST service. Numbers that are computed from rows may differ by 1e-9 of their value: a sum
  of floating-point numbers depends on the order. The ordinary subgraph computes them with d3-array.
- **Rounds.** Contestants take turns, one at a time. The first round, or for small responses the first three to ten, warms up and does not
  count. The figures are medians over the rounds, and the last column compares these. A ratio of the first table is the median of the
  ratios in each round, because a machine may be slower for a while. The peak of memory is the highest of all rounds. Contestants restart
  for each kind of work.
- **Metrics and traces.** The subgraph with \`METRICS_PORT\`, and with traces of 1 % of the requests, which the REST service takes, have rounds of
  their own beside the plain subgraph. They are started several times, because two processes of one program differ by some percent. A scrape is \`GET /metrics\` every 100 ms on a kept connection.
- **The cache.** The subgraph with \`CACHE=memory\`. *All repeats* means that one client sends the same query again and again. The mixture is
  ${mixtureShares}, each request for a dataset of its own. Of each kind, four of five
  requests repeat what the client read five hundred requests ago, and one is for a dataset that nobody has read. Nothing expires
  meanwhile. Metadata and the mixture are measured in three starts.
- **In flight.** One client requests 1000x365x3 repeatedly. Every 20 ms another client requests metadata, without waiting for its earlier
  responses.
- **Scrapes, odd bodies, many clients and worst documents** have a separate subgraph. Each is measured three times after a warm-up, and the figures are
  medians. *Block* is the longest response time of \`GET /health/live\`, requested every 5 ms on a kept connection. *CPU* is that of the whole
  process. An odd body is that of 1000x365x3 with one odd value or key, or one of that size with odd values everywhere
  ([odd-bodies.ts](odd-bodies.ts)). 48 MB are those of 680x365x3. They pass where \`processingId\` and \`sourceId\` are selected behind the
  series. The 60 clients send one request each, all at once. Every other one reads 5 MB a second. \`MEMORY_BUDGET\` is 256 MiB for them
  and for the counts, and \`OPERATION_TIMEOUT_MS\` 110 s. The worst documents are in [worst-documents.json](worst-documents.json).
- **Memory** is resident memory above that of the idle process; **CPU** is that of all threads of the process, garbage
  collection included. CPU per response is the figure to compare for small responses: on a shared machine
  it changes less than the rate.
`;
}

function bodySize({ restBytes }: Basis): string {
  const bytes = restBytes(large);
  return bytes === undefined ? '' : `, a REST body of ${number(bytes / MEGABYTE)} MB`;
}

function number(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}
