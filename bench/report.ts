import { availableParallelism } from 'node:os';
import { contestantKinds, contestantNames } from './contestants.ts';
import { type Basis, holds, type Ratio, ratios, show } from './ratios.ts';

const MEGABYTE = 1e6;
const NONE = '-';

/** Everything measured, a line for each workload and contestant, as a Markdown table. */
export function measuredTable({ results, idleBytes }: Basis): string {
  const lines = results.workloads().flatMap((workload) =>
    contestantNames.flatMap((name) => {
      const sample = results.summary(workload, name);
      const ours = results.summary(workload, 'subgraph');
      if (sample === undefined) return [];
      const { answersPerSecond, p50Ms, p99Ms, peakBytes, cpuMs, restCalls } = sample;
      const above = peakBytes === undefined ? undefined : peakBytes - (idleBytes(name) ?? peakBytes);
      const inFlight = workload.background !== undefined;
      const times = ours && (inFlight ? p99Ms / ours.p99Ms : ours.answersPerSecond / answersPerSecond);
      return [
        [
          workload.title,
          contestantKinds[name].title,
          inFlight ? NONE : number(answersPerSecond),
          number(p50Ms),
          number(p99Ms),
          number(above && above / MEGABYTE),
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
      'who',
      'answers/s',
      'p50 ms',
      'p99 ms',
      'peak MB above idle',
      'CPU ms/answer',
      'REST calls',
      'this subgraph is faster',
    ],
    lines,
  );
}

/** The figures that must hold, as a Markdown table. */
export function ratioTable(basis: Basis): string {
  return table(
    ['figure', 'must hold', 'aim', 'measured', ''],
    ratios(basis).map((ratio) => [
      ratio.figure,
      `${ratio.limit} ${ratio.must}${ratio.unit}`,
      ratio.aim === undefined ? '' : `${ratio.aim}${ratio.unit}`,
      show(ratio.measured, ratio.unit) + (ratio.beside === undefined ? '' : ` (${ratio.beside})`),
      verdict(ratio),
    ]),
  );
}

function verdict(ratio: Ratio): string {
  if (ratio.measured === undefined) return 'NOT MEASURED';
  return holds(ratio) ? 'ok' : 'MISSED';
}

/** The whole report, as a Markdown page. */
export function page(basis: Basis, { minutes }: { minutes: number }): string {
  return `# Results of the benchmark

Made by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)}, in ${minutes.toFixed(0)} minutes: ${availableParallelism()} CPU cores, Node.js ${process.versions.node}, ${process.platform} ${process.arch}.
The REST service, the one who is measured and the load generator share these cores, so it is the ratios that tell something.

## What must hold

${ratioTable(basis)}

## What was measured

${measuredTable(basis)}

`;
}

function number(value: number | undefined): string {
  if (value === undefined || !Number.isFinite(value)) return NONE;
  return value.toFixed(value < 10 ? 2 : value < 100 ? 1 : 0);
}

function table(head: readonly string[], lines: readonly (readonly string[])[]): string {
  const widths = head.map((cell, column) =>
    Math.max(cell.length, 3, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...lines.map(line)].join('\n');
}
