// `npm run soak`: runs the program under mixed load for some minutes, with a faulty REST service and with clients that
// disconnect. At rest after each round of load, it must hold no more resources than after the first round. At the end it must
// return memory to the system. The soak prints figures, and exits with code 1 on a failure.
import { setTimeout } from 'node:timers/promises';
import { emptyTally, fillCaches, load } from './load.ts';
import { MAX_BYTES, startFaultyService } from './service.ts';
import { type Sample, type Subject, startSubject } from './subject.ts';
import { growing, type Rest, slope, surplus, unreturned } from './verdict.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 10);
if (!(minutes > 0 && minutes <= 24 * 60)) throw new RangeError('SOAK_MINUTES must be above 0 and at most 1440.');

/** The measured rounds. One warm-up round precedes them, and one to check the release of memory follows. */
const ROUNDS = Math.max(6, Math.min(30, Math.round(minutes * 2)));
const ROUND_MS = (minutes * 60_000) / (ROUNDS + 2);
const FAULTY_SHARE = 0.06;
/** How long the service is down in each round, to open the circuit breaker. */
const DOWN_MS = Math.min(1000, ROUND_MS / 5);

/** The maximum time to come to rest. Idle connections to the service close after four seconds. */
const REST_MS = 15_000;
const POLL_MS = 250;
/** The pool keeps large buffers for ten seconds after their last use. */
const POOL_IDLE_MS = 11_000;
/** After this time without any activity, the engine has returned memory to the system. */
const IDLE_MS = 30_000;

const settings = {
  UPSTREAM_TIMEOUT_MS: '1000',
  OPERATION_TIMEOUT_MS: '3000',
  UPSTREAM_MAX_BYTES: String(MAX_BYTES),
  LOG_LEVEL: 'warn',
};

const service = await startFaultyService(FAULTY_SHARE);
const subject = await startSubject(service.url, settings);
const tally = emptyTally();
const started = performance.now();
const idle = await subject.sample();
let maxResident = 0;
const watching = setInterval(() => {
  maxResident = Math.max(maxResident, subject.resident() ?? 0);
}, POLL_MS);
say(`idle at the start: ${described(idle)}`);

const outcome = await Promise.race([soak(), subject.broken]);
const failures = [...outcome, ...responseFailures(), ...(await exitFailures(subject))];
await service.close();
report();
for (const line of failures) say(`FAILED: ${line}`);
say(failures.length === 0 ? 'The soak passed.' : `The soak failed: ${failures.length} failures.`);
process.exit(failures.length === 0 ? 0 : 1);

/** Alternates load and rest. Returns the failures found in the samples. */
async function soak(): Promise<string[]> {
  await fillCaches(subject.endpoint, tally);
  await round();
  // Wait until the pool has freed its buffers.
  await setTimeout(POOL_IDLE_MS);
  const first = await subject.sample();
  say(`warm: ${described(first)}`);
  const atStart = surplus({ ...idle, timers: first.timers }, first);
  if (atStart.length > 0) return atStart.map((line) => `${line} before any load`);
  const rests: Rest[] = [];
  for (let number = 1; number <= ROUNDS; number += 1) {
    await round();
    const isLong = number === 1 || number === ROUNDS;
    if (isLong) await setTimeout(POOL_IDLE_MS);
    const sample = await restAfter(first);
    say(`round ${number} of ${ROUNDS}, ${tally.requests} requests: ${described(sample)}`);
    const more = surplus(first, sample);
    if (more.length > 0) return more.map((line) => `${line}, ${REST_MS / 1000} s after round ${number}`);
    rests.push({ requests: tally.requests, sample, isLong });
  }
  say(`slopes in bytes a request: ${slopes(rests)}`);
  const grown = growing(rests);
  return grown.length > 0 ? grown : failuresAtRest();
}

/** Runs a last round without a sample after it, because taking a sample collects garbage. */
async function failuresAtRest(): Promise<string[]> {
  await round();
  const atEnd = subject.resident();
  await setTimeout(IDLE_MS);
  const atRest = subject.resident();
  clearInterval(watching);
  if (atEnd === null || atRest === null) return [];
  const [max, end, rest] = [maxResident, atEnd, atRest].map(megabytes);
  say(`resident: ${max} at most, ${end} at the end of the load, ${rest} after ${IDLE_MS / 1000} idle seconds`);
  return unreturned(idle.rss, atRest);
}

async function round(): Promise<void> {
  const outage = setTimeout(ROUND_MS / 2).then(async () => {
    service.setDown(true);
    await setTimeout(DOWN_MS);
    service.setDown(false);
  });
  await Promise.all([load(subject.endpoint, tally, ROUND_MS), outage]);
}

/** Waits until the process holds no more than at first, or until a timeout. Returns the last sample. */
async function restAfter(first: Sample): Promise<Sample> {
  const until = performance.now() + REST_MS;
  for (;;) {
    const sample = await subject.sample();
    if (surplus(first, sample).length === 0 || performance.now() > until) return sample;
    await setTimeout(POLL_MS);
  }
}

function responseFailures(): string[] {
  const internal = tally.codes.get('INTERNAL_SERVER_ERROR') ?? 0;
  const failed = [...tally.statuses].filter(([status]) => ![200, 400, 503].includes(status));
  return [
    ...(internal > 0 ? [`${internal} errors with the code INTERNAL_SERVER_ERROR`] : []),
    ...failed.map(([status, count]) => `${count} responses with status ${status}`),
    ...(tally.failed > 0 ? [`${tally.failed} requests without a complete response`] : []),
    ...((tally.statuses.get(200) ?? 0) < tally.requests / 2 ? ['most requests had no response with status 200'] : []),
  ];
}

async function exitFailures({ stop }: Subject): Promise<string[]> {
  const { code, stderr, internalErrors } = await stop();
  return [
    ...(code === 0 ? [] : [`exit code ${code}`]),
    ...(stderr === '' ? [] : [`on standard error: ${stderr}`]),
    ...(internalErrors === 0 ? [] : [`${internalErrors} errors in the log`]),
  ];
}

function slopes(rests: readonly Rest[]): string {
  return (['heapUsed', 'rss'] as const)
    .map((name) => `${name} ${slope(rests.map(({ requests: x, sample }) => ({ x, y: sample[name] }))).toFixed(1)}`)
    .join(', ');
}

function described({ heapUsed, rss, external, ...counts }: Sample): string {
  const bytes = Object.entries({ heapUsed, external, rss }).map(([name, value]) => `${name} ${megabytes(value)}`);
  return [...bytes, ...Object.entries(counts).map(([name, value]) => `${name} ${value}`)].join(', ');
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

function report(): void {
  const seconds = (performance.now() - started) / 1000;
  say(
    `${tally.requests} requests, ${tally.disconnected} disconnected early, ${service.calls()} REST calls, in ${Math.round(seconds)} s`,
  );
  for (const [title, latencies] of tally.latencies) {
    const sorted = latencies.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    const rate = (latencies.length / (minutes * 60) || 0).toFixed(1);
    say(`  ${title}: ${latencies.length}, ${rate} a second under load, median ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  }
  say(`responses by status: ${listed(tally.statuses)}`);
  say(`errors by code: ${listed(tally.codes)}`);
}

function listed(counts: ReadonlyMap<string | number, number>): string {
  return [...counts].map(([key, count]) => `${key} ${count}`).join(', ');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
