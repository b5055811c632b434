/**
 * The benchmark: node bench/run.ts [--only TEXT] [--rounds N] [--profile FOLDER] [--before FOLDER]
 *
 * Without options it writes RESULTS.md beside this file. --only measures the work with this text in its title. --rounds sets
 * the number of rounds. --profile makes the subgraph write a CPU profile of the run into a folder. --before compares this
 * subgraph with that of another checkout alone, which has its packages installed.
 */
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { arriving, counting, onItsWay } from './arriving.ts';
import { beforeTable } from './before-table.ts';
import { blocks } from './blocks.ts';
import { cacheTable } from './cache-table.ts';
import { type Checked, check } from './check.ts';
import { requestsOf } from './checked-requests.ts';
import { startChild } from './children.ts';
import { computing } from './computing.ts';
import { type Contestant, type ContestantName, contestantNames, startContestant } from './contestants.ts';
import { crowd } from './crowd.ts';
import { type Group, groups } from './groups.ts';
import { measureHazard } from './hazards.ts';
import { type Lane, measure, type Sample } from './measure.ts';
import { Mixture } from './mixture.ts';
import { residentBytes } from './process-figures.ts';
import { type Basis, holds, type Ratio, show } from './ratios.ts';
import { measuredTable, page, ratioTable } from './report.ts';
import { requestFor, sendOnce } from './requests.ts';
import { Results } from './results.ts';
import { scraping } from './scraping.ts';
import { metadata, type Work, type Workload } from './workloads.ts';
import { worstDocuments } from './worst-documents.ts';

/** After this time no workload gets another round. */
const SOFT_LIMIT_S = 2400;
/** After this time no measurement starts. A running one completes. */
const HARD_LIMIT_S = 2500;
/** How often the two of --before are started anew, at least. */
const STARTS_WITH_BEFORE = 3;
/** After this time no hazard is measured. */
const HAZARDS_LIMIT_S = 3000;
const SETTLE_MS = 1_000;
const WARM_UP_REQUESTS = 20;

const { values: options } = parseArgs({
  options: {
    only: { type: 'string' },
    rounds: { type: 'string' },
    profile: { type: 'string' },
    before: { type: 'string' },
  },
});

process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));

const started = performance.now();
const seconds = () => (performance.now() - started) / 1000;

function say(line: string): void {
  process.stdout.write(`${seconds().toFixed(0).padStart(4)} s  ${line}\n`);
}

const upstream = await startChild('the REST service', 'upstream.ts', {}, []);
try {
  await Promise.race([run(), upstream.broken]);
} finally {
  await upstream.stop();
}

async function run(): Promise<void> {
  const chosen = groups
    .map((group) => ({ ...group, workloads: group.workloads.filter(isChosen) }))
    .filter(({ workloads }) => workloads.length > 0);
  const checks = new Map<Workload, Checked>();
  const work = chosen.flatMap(({ workloads }) => workloads);
  const names = contestantsOf(work);
  await withContestants(names, [], async (contestants) => {
    for (const workload of work.flatMap((one) => (one instanceof Mixture ? one.kinds : one))) {
      checks.set(workload, await check(workload, contestants.filter(isMeasuredAt(workload)), upstream.url));
      say(`checked: ${workload.title}`);
    }
  });
  const results = new Results();
  for (const group of chosen) {
    const starts = Math.max(group.starts ?? 1, options.before === undefined ? 1 : STARTS_WITH_BEFORE);
    for (let start = 0; start < starts; start += 1) await measureGroup(group, checks, results);
  }
  if (options.before !== undefined) {
    process.stdout.write(`\n${beforeTable(results)}\n`);
    return;
  }
  const hazards = await measureHazards();
  const basis: Basis = {
    results,
    hazards,
    restBytes: (workload) => checks.get(workload)?.restBytes,
    responseBytes: (workload) => checks.get(workload)?.responseBytes.get('subgraph'),
  };
  const whole = options.only === undefined && options.rounds === undefined;
  const tables = [measuredTable(basis), cacheTable(results), ratioTable(basis, whole ? 'all' : 'measured')];
  process.stdout.write(`\n${tables.filter((text) => text !== '').join('\n\n')}\n`);
  if (!whole) return;
  writeFileSync(new URL('RESULTS.md', import.meta.url), page(basis, { minutes: seconds() / 60 }));
}

async function measureHazards(): Promise<Ratio[]> {
  const all: Ratio[] = [];
  for (const hazard of [arriving, onItsWay, computing, counting, scraping, ...blocks, crowd, ...worstDocuments].filter(
    isChosen,
  )) {
    if (seconds() > HAZARDS_LIMIT_S) {
      say(`${hazard.title} skipped, out of time`);
      continue;
    }
    const rounds = Math.min(hazard.rounds, Number(options.rounds ?? hazard.rounds));
    const figures = await measureHazard(hazard, upstream.url, rounds);
    for (const ratio of figures) {
      const { figure, measured, unit, note } = ratio;
      say(`${figure} ${show(measured, unit)}${note === undefined ? '' : ` (${note})`}${holds(ratio) ? '' : ' MISSED'}`);
    }
    all.push(...figures);
  }
  return all;
}

function isChosen({ title }: { readonly title: string }): boolean {
  return title.includes(options.only ?? '');
}

function isMeasuredAt({ contestants }: Work): (contestant: Pick<Contestant, 'name'>) => boolean {
  return ({ name }) => contestants.includes(name === 'before' ? 'subgraph' : name);
}

/** The contestants that some work needs. */
function contestantsOf(work: readonly Work[]): ContestantName[] {
  if (options.before !== undefined) return ['subgraph', 'before'];
  return contestantNames.filter((name) => work.some(({ contestants }) => contestants.includes(name)));
}

/** Starts contestants for an action, and stops them after it, even if it fails. */
async function withContestants(
  names: readonly ContestantName[],
  nodeArguments: readonly string[],
  action: (contestants: readonly Contestant[]) => Promise<void>,
): Promise<void> {
  const contestants: Contestant[] = [];
  try {
    for (const name of names) {
      const folder = name === 'before' ? options.before : undefined;
      const ownArguments = name === 'subgraph' ? nodeArguments : [];
      contestants.push(await startContestant(name, upstream.url, ownArguments, {}, folder));
    }
    await Promise.race([action(contestants), ...contestants.map(({ broken }) => broken)]);
  } finally {
    await Promise.all(contestants.map((contestant) => contestant.stop()));
  }
}

async function measureGroup(group: Group, checks: ReadonlyMap<Workload, Checked>, results: Results): Promise<void> {
  const names = contestantsOf(group.workloads);
  const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${options.profile}`];
  const rounds = Number(options.rounds ?? group.rounds);
  const { warmUpRounds = 1 } = group;
  await withContestants(names, profiling, async (contestants) => {
    const idleBytes = await settle(contestants);
    // The rounds up to 0 warm up and do not count.
    for (let round = 1 - warmUpRounds; round <= rounds; round += 1) {
      const isWarmUp = round <= 0;
      const name = isWarmUp ? 'warm-up' : `round ${round} of ${rounds}`;
      for (const contestant of rotated(contestants, round + warmUpRounds - 1)) {
        const line: string[] = [];
        for (const work of group.workloads.filter((candidate) => isMeasuredAt(candidate)(contestant))) {
          if (seconds() > HARD_LIMIT_S || (round > 1 && seconds() > SOFT_LIMIT_S)) {
            line.push(`${work.title} skipped, out of time`);
            continue;
          }
          const requests = requestsOf(contestant, work, checks);
          if (requests === undefined) continue;
          const lane: Lane = { contestant, work, requests, idleBytes: idleBytes.get(contestant) };
          const sample = await measure(lane, isWarmUp ? group.warmUpSeconds : group.seconds, upstream.url);
          if (!isWarmUp) results.add(work, contestant.name, sample);
          line.push(`${work.title} ${brief(work, sample)}`);
        }
        say(`${name}, ${contestant.title}: ${line.join('; ')}`);
      }
    }
  });
}

/**
 * Starts each round with a different contestant, so that none always follows the same one. The last one of a round starts the
 * next, so that none waits for nearly two rounds.
 */
function rotated(contestants: readonly Contestant[], turn: number): Contestant[] {
  const first = contestants.length - (turn % contestants.length);
  return [...contestants.slice(first), ...contestants.slice(0, first)];
}

/** Sends every contestant a few small requests. Returns the idle memory of each after them, in bytes. */
async function settle(contestants: readonly Contestant[]): Promise<ReadonlyMap<Contestant, number | undefined>> {
  for (const contestant of contestants) {
    const request = requestFor(contestant, metadata);
    for (let count = 0; count < WARM_UP_REQUESTS && request !== undefined; count += 1) await sendOnce(request);
  }
  await setTimeout(SETTLE_MS);
  return new Map(contestants.map((contestant) => [contestant, residentBytes(contestant.pid)]));
}

function brief({ connections, background }: Work, { responsesPerSecond, p50Ms, p99Ms }: Sample): string {
  if (background !== undefined) return `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms`;
  return connections > 1 ? `${responsesPerSecond.toFixed(1)}/s` : `${p50Ms.toFixed(1)} ms`;
}
