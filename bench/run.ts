/**
 * The benchmark: node bench/run.ts [--only TEXT] [--rounds N] [--profile FOLDER]
 *
 * Without options it writes RESULTS.md beside this file. --only measures the workloads with this text in their title;
 * --rounds changes the number of rounds; --profile has the subgraph write a CPU profile of the run into a folder.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type Checked, check } from './check.ts';
import { type Child, startChild } from './children.ts';
import { type Contestant, contestantKinds, contestantNames, startContestant } from './contestants.ts';
import { installOrdinary } from './install.ts';
import { type Lane, measure } from './measure.ts';
import { residentBytes } from './process-figures.ts';
import type { Basis } from './ratios.ts';
import { measuredTable, page, ratioTable } from './report.ts';
import { requestFor, sendOnce } from './requests.ts';
import { Results } from './results.ts';
import { type Group, groups, metadata, small, type Workload } from './workloads.ts';

/** From then on no workload gets another round. */
const SOFT_LIMIT_S = 450;
/** From then on nothing is measured any more; what is in flight takes its time. */
const HARD_LIMIT_S = 540;
const SETTLE_MS = 1_000;
const WARM_UP_REQUESTS = 20;

const { values: options } = parseArgs({
  options: { only: { type: 'string' }, rounds: { type: 'string' }, profile: { type: 'string' } },
});

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const started = performance.now();
const seconds = () => (performance.now() - started) / 1000;

function say(line: string): void {
  process.stdout.write(`${seconds().toFixed(0).padStart(4)} s  ${line}\n`);
}

await installOrdinary(say);
say('starting the REST service and the contestants');
const upstream = await startChild('the REST service', 'upstream.ts', {}, []);
const contestants: Contestant[] = [];
for (const name of contestantNames) {
  const profiling = name === 'subgraph' && options.profile !== undefined;
  const nodeArguments = profiling ? ['--cpu-prof', `--cpu-prof-dir=${options.profile}`] : [];
  contestants.push(await startContestant(name, upstream.url, nodeArguments));
}
const children: readonly Child[] = [upstream, ...contestants];
try {
  await Promise.race([run(), ...children.map(({ broken }) => broken)]);
} finally {
  await Promise.all(children.map((child) => child.stop()));
}

async function run(): Promise<void> {
  await settle();
  const chosen = groups
    .map((group) => ({ ...group, workloads: group.workloads.filter(isChosen) }))
    .filter(({ workloads }) => workloads.length > 0);
  const checks = new Map<Workload, Checked>();
  for (const workload of chosen.flatMap(({ workloads }) => workloads)) {
    checks.set(workload, await check(workload, contestantsOf(workload), upstream.url));
    say(`checked: ${workload.title}`);
  }
  const results = new Results();
  for (const group of chosen) await measureGroup(group, checks, results);
  const basis: Basis = {
    results,
    restBytes: (workload) => checks.get(workload)?.restBytes,
    idleBytes: (name) => contestants.find((contestant) => contestant.name === name)?.idleBytes,
  };
  process.stdout.write(`\n${measuredTable(basis)}\n\n${ratioTable(basis)}\n`);
  if (options.only !== undefined || options.rounds !== undefined) return;
  writeFileSync(new URL('RESULTS.md', import.meta.url), page(basis, { minutes: seconds() / 60 }));
}

/** Lets every contestant answer a few small requests, and notes the memory that it holds when idle. */
async function settle(): Promise<void> {
  for (const contestant of contestants) {
    for (const workload of [metadata, small]) {
      const request = requestFor(contestant, workload);
      for (let count = 0; count < WARM_UP_REQUESTS && request !== undefined; count += 1) await sendOnce(request);
    }
  }
  await setTimeout(SETTLE_MS);
  for (const contestant of contestants) contestant.idleBytes = residentBytes(contestant.pid);
}

function isChosen({ title }: Workload): boolean {
  return title.includes(options.only ?? '');
}

function contestantsOf(workload: Workload): Contestant[] {
  return contestants.filter(({ name }) => workload.contestants?.includes(name) ?? true);
}

async function measureGroup(group: Group, checks: ReadonlyMap<Workload, Checked>, results: Results): Promise<void> {
  const rounds = Number(options.rounds ?? group.rounds);
  for (let round = group.warmUp ? 0 : 1; round <= rounds; round += 1) {
    for (const workload of group.workloads) {
      if (seconds() > HARD_LIMIT_S || (round > 1 && seconds() > SOFT_LIMIT_S)) {
        say(`out of time: ${workload.title}, round ${round} is left out`);
        continue;
      }
      const line: string[] = [];
      for (const lane of lanesOf(workload, checks)) {
        const sample = await measure(lane, round === 0 ? group.seconds / 2 : group.seconds, upstream.url);
        if (round > 0) results.add(workload, lane.contestant.name, sample);
        const { answersPerSecond, p50Ms, p99Ms } = sample;
        const figure = workload.connections > 1 ? `${answersPerSecond.toFixed(1)}/s` : `${p50Ms.toFixed(1)} ms`;
        const p99 = workload.background === undefined ? '' : ` (p99 ${p99Ms.toFixed(1)} ms)`;
        line.push(`${contestantKinds[lane.contestant.name].title} ${figure}${p99}`);
      }
      say(`${workload.title}, ${round === 0 ? 'warm-up' : `round ${round} of ${rounds}`}: ${line.join('; ')}`);
    }
  }
}

function lanesOf(workload: Workload, checks: ReadonlyMap<Workload, Checked>): Lane[] {
  const answerBytes = checks.get(workload)?.answerBytes;
  return contestantsOf(workload).flatMap((contestant) => {
    const request = requestFor(contestant, workload);
    const bytes = answerBytes?.get(contestant);
    return request === undefined || bytes === undefined ? [] : [{ contestant, workload, request, answerBytes: bytes }];
  });
}
