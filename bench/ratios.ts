import type { ContestantName } from './contestants.ts';
import { repeatedLarge, repeatedMetadata, repeatedSmall } from './repeats.ts';
import type { Measured, Results } from './results.ts';
import { divide } from './statistics.ts';
import * as workloads from './workloads.ts';

/** A figure with its threshold. */
export interface Ratio {
  readonly figure: string;
  /** Whether `must`, the threshold, and `aim`, the goal, are upper or lower limits of the measured value. */
  readonly limit: 'at most' | 'at least';
  readonly must: number;
  readonly aim?: number;
  readonly unit: 'x' | ' ms' | ' s' | ' MB' | ' %' | '';
  /** Undefined if one of its parts was not measured. */
  readonly measured: number | undefined;
  /** A note on the measured value. */
  readonly note?: string;
}

/** Whether a figure meets its threshold. */
export function holds({ limit, must, measured }: Ratio): boolean {
  return measured !== undefined && (limit === 'at most' ? measured <= must : measured >= must);
}

/** The measurements that the figures are computed from. */
export interface Basis {
  readonly results: Results;
  /** The figures of the hazards. */
  readonly hazards: readonly Ratio[];
  /** The size in bytes of a workload's REST responses. */
  restBytes(workload: workloads.Workload): number | undefined;
  /** The size in bytes of the subgraph's response to a workload. */
  responseBytes(workload: workloads.Workload): number | undefined;
}

/** The figures that this project promises. */
export function ratios(basis: Basis): Ratio[] {
  const { results, restBytes } = basis;
  const of = (workload: workloads.Workload, contestant: ContestantName = 'subgraph') =>
    results.summary(workload, contestant);
  const { metadata, small, middle, large, largeOdd, largeColumns, largeNames, largeFile, largePassing } = workloads;
  const { measuredMetadata, tracedMetadata, untracedMetadata, manyDatasets, singleAssets, inFlight, growth } =
    workloads;
  const { firstMetadata, documents, largeStatistics, largeMonths, largeByDate, largeTotals, largePoints } = workloads;
  const rate = (dividend: Measured, divisor: Measured) =>
    results.ratio(({ responsesPerSecond }) => responsesPerSecond, dividend, divisor);
  const againstOrdinary = (workload: workloads.Workload) => rate([workload, 'subgraph'], [workload, 'ordinary']);
  const cpu = (dividend: Measured, divisor: Measured) => results.ratio(({ cpuMs }) => cpuMs, dividend, divisor);
  const cpuAgainst = (contestant: ContestantName, workload: workloads.Workload) =>
    cpu([workload, 'subgraph'], [workload, contestant]);
  const time = (dividend: Measured, divisor: Measured) => results.ratio(({ p50Ms }) => p50Ms, dividend, divisor);
  const memory = (contestant: ContestantName) => divide(of(large, contestant)?.peakBytes, restBytes(large));
  const ours: Measured = [large, 'subgraph'];
  const [one, , sixteen] = growth;
  const [onlyOne, , hundred] = documents;
  const bytesAgainstRows = (workload: workloads.Workload) =>
    divide(basis.responseBytes(workload), basis.responseBytes(large));
  const computed = [
    { name: 'statistics', workload: largeStatistics },
    { name: 'months', workload: largeMonths },
    { name: 'by date', workload: largeByDate },
  ];
  const p99 = (contestant: ContestantName) => of(inFlight, contestant)?.p99Ms;
  return [
    {
      figure: '1000x365x3, everything selected: time against the byte pipe',
      ...atMost(2.2, 1.5),
      measured: time(ours, [large, 'pipe']),
    },
    {
      figure: 'same, passing while it arrives: time against the byte pipe',
      ...atMost(1.9, 1.5),
      measured: time([largePassing, 'subgraph'], [largePassing, 'pipe']),
    },
    {
      figure: 'same: times faster than the JSON relay',
      ...atLeast(3.5, 6),
      measured: time([large, 'relay'], ours),
    },
    {
      figure: 'same: times faster than the ordinary subgraph',
      ...atLeast(8, 15),
      measured: time([large, 'ordinary'], ours),
    },
    {
      figure: 'same: peak memory above idle, against the REST body',
      ...atMost(3, 2),
      measured: memory('subgraph'),
      note: `ordinary subgraph: ${show(memory('ordinary'), 'x')}`,
    },
    {
      figure: 'same, one odd asset in a thousand: time against none',
      ...atMost(1.15),
      measured: time([largeOdd, 'subgraph'], ours),
    },
    {
      figure: 'same, only ids and names: times faster than everything',
      ...atLeast(1.5, 2),
      measured: time(ours, [largeNames, 'subgraph']),
    },
    {
      figure: 'same, as columns: time against rows',
      ...atMost(1),
      measured: time([largeColumns, 'subgraph'], ours),
    },
    ...computed.map(({ name, workload }) => ({
      figure: `same, ${name}: time against rows`,
      ...atMost(1, 0.7),
      measured: time([workload, 'subgraph'], ours),
      ...(name === 'statistics' && { note: `of all assets: ${show(time([largeTotals, 'subgraph'], ours), 'x')}` }),
    })),
    {
      figure: 'same, 100 points of each series: time against rows',
      ...atMost(1, 0.7),
      measured: time([largePoints, 'subgraph'], ours),
    },
    ...computed.map(({ name, workload }) => ({
      figure: `same, ${name}: times faster than the ordinary subgraph`,
      ...atLeast(15, 25),
      measured: time([workload, 'ordinary'], [workload, 'subgraph']),
    })),
    {
      figure: 'same, months: bytes of the response against rows',
      ...atMost(1 / 25),
      measured: bytesAgainstRows(largeMonths),
    },
    {
      figure: 'same, by date: bytes of the response against rows',
      ...atMost(1 / 500),
      measured: bytesAgainstRows(largeByDate),
    },
    {
      figure: 'same, as a CSV file: time against the byte pipe',
      ...atMost(2, 1.6),
      measured: time([largeFile, 'subgraph'], [largeFile, 'pipe']),
    },
    {
      figure: '200x50x5: responses a second against the ordinary subgraph',
      ...atLeast(8, 12),
      measured: againstOrdinary(middle),
    },
    {
      figure: '20 aliases and 20 datasets: CPU per response against the JSON relay',
      ...atMost(1.5, 1),
      measured: cpuAgainst('relay', manyDatasets),
    },
    {
      figure: '10x10x3 and metadata: CPU per response against the JSON relay',
      ...atMost(1, 0.7),
      measured: cpuAgainst('relay', small),
    },
    {
      figure: 'same: responses a second against the ordinary subgraph',
      ...atLeast(5, 7),
      measured: againstOrdinary(small),
    },
    {
      figure: 'metadata: CPU per response against Mercurius with its JIT',
      ...atMost(0.95, 0.8),
      measured: cpuAgainst('mercurius', metadata),
    },
    {
      figure: 'same, in the first ten seconds of both',
      ...atMost(1.3, 1),
      measured: cpuAgainst('mercurius', firstMetadata),
    },
    {
      figure: '100 operations of 8 kB in turn: CPU per response against one of them',
      ...atMost(1.2, 1.05),
      measured: hundred && onlyOne && cpu([hundred, 'subgraph'], [onlyOne, 'subgraph']),
    },
    {
      figure: '1 to 1000 operations of 8 kB in turn: maximum of CPU per response against the ordinary subgraph',
      ...atMost(1.2),
      measured: highest(documents.map((many) => cpuAgainst('ordinary', many))),
    },
    {
      figure: 'same: responses a second against the ordinary subgraph',
      ...atLeast(3.2, 4.5),
      measured: againstOrdinary(metadata),
    },
    {
      figure: 'metadata, with metrics on: CPU per response against off',
      ...atMost(1.03),
      measured: cpu([measuredMetadata, 'metrics'], [measuredMetadata, 'subgraph']),
    },
    {
      figure: 'metadata, with traces of 1 % of the requests: CPU per response against none',
      ...atMost(1.03),
      measured: cpu([tracedMetadata, 'traces'], [untracedMetadata, 'traces']),
    },
    {
      figure: '50 single assets of 200x50x5: responses a second against the ordinary subgraph',
      ...atLeast(5, 10),
      measured: againstOrdinary(singleAssets),
    },
    {
      figure: 'p99 of metadata while 1000x365x3 is in flight',
      ...atMost(25, 10),
      unit: ' ms',
      measured: p99('subgraph'),
      note: `ordinary subgraph: ${show(p99('ordinary'), ' ms')}`,
    },
    {
      figure: 'time for each MB at 16x the data, against 1x',
      ...atMost(1.2),
      measured:
        one && sixteen && divide(time([sixteen, 'subgraph'], [one, 'subgraph']), growthInBytes(basis, one, sixteen)),
    },
    {
      figure: 'REST calls: maximum, against the fewest possible',
      ...atMost(1),
      measured: callsMultiple(results),
    },
    {
      figure: 'metadata, all repeats, cache in memory: responses a second against off',
      ...atLeast(1.5),
      measured: rate([repeatedMetadata, 'memory'], [repeatedMetadata, 'subgraph']),
    },
    {
      figure: '1000x365x3, all repeats, cache in memory: time against the byte pipe',
      ...atMost(1.15),
      measured: time([repeatedLarge, 'memory'], [repeatedLarge, 'pipe']),
    },
    {
      figure: 'all repeats, cache in memory: maximum of REST calls per response',
      ...atMost(0),
      unit: '',
      measured: callsDespiteCache(results),
    },
    ...basis.hazards,
  ];
}

/** A figure as text. */
export function show(value: number | undefined, unit: Ratio['unit']): string {
  if (value === undefined) return 'not measured';
  if (value === Number.POSITIVE_INFINITY) return 'failed';
  if (unit === '') return String(value);
  return `${value < 100 ? value.toPrecision(3) : value.toFixed(0)}${unit}`;
}

function atMost(must: number, aim?: number) {
  return { limit: 'at most', must, ...(aim !== undefined && { aim }), unit: 'x' } as const;
}

function atLeast(must: number, aim?: number) {
  return { limit: 'at least', must, ...(aim !== undefined && { aim }), unit: 'x' } as const;
}

function growthInBytes({ restBytes }: Basis, from: workloads.Workload, to: workloads.Workload): number | undefined {
  return divide(restBytes(to), restBytes(from));
}

/** The highest of some figures. Undefined if none was measured. */
function highest(figures: readonly (number | undefined)[]): number | undefined {
  const measured = figures.filter((figure) => figure !== undefined);
  return measured.length === 0 ? undefined : Math.max(...measured);
}

function callsMultiple(results: Results): number | undefined {
  const multiples = results.work().flatMap((work) => {
    const calls = results.summary(work, 'subgraph')?.restCalls;
    return divide(calls, work.restCalls) ?? [];
  });
  return multiples.length === 0 ? undefined : Math.max(...multiples);
}

function callsDespiteCache(results: Results): number | undefined {
  const calls = [repeatedMetadata, repeatedSmall, repeatedLarge].flatMap(
    (work) => results.highest(({ restCalls }) => restCalls, [work, 'memory']) ?? [],
  );
  return calls.length === 0 ? undefined : Math.max(...calls);
}
