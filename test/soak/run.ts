// `npm run soak`: runs the program under mixed load for some minutes, with a faulty REST service and with clients that
// disconnect. At rest after each round of load, it must hold no more resources than after the first round. At the end it must
// return memory to the system. The soak prints figures, and exits with code 1 on a failure.
//
// SOAK_MINUTES is the time under load, ten by default; rests are added to it. SOAK_CACHE=memory turns the cache on, with room
// for 4 MB. verdict.ts has the limits of what may grow.
import { setTimeout } from 'node:timers/promises';
import { fillCaches, load, MAX_OPERATIONS, overload } from './load.ts';
import { MAX_BYTES, startFaultyService } from './service.ts';
import { type Sample, type Subject, startSubject } from './subject.ts';
import { Tally } from './tally.ts';
import { growing, type Rest, surplus, unrested, unreturned } from './verdict.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 10);
if (!(minutes > 0 && minutes <= 24 * 60)) throw new RangeError('SOAK_MINUTES must be above 0 and at most 1440.');

/** The measured rounds. One warm-up round precedes them, and one to check the release of memory follows. */
const ROUNDS = Math.max(6, Math.min(30, Math.round(minutes * 2)));
const ROUND_MS = (minutes * 60_000) / (ROUNDS + 2);
const FAULTY_SHARE = 0.06;
/**
 * How long the service is down at the start of each round. After a long rest no earlier call counts for the circuit breakers,
 * so that they open.
 */
const DOWN_MS = Math.min(1000, ROUND_MS / 5);

/** The maximum time to come to rest. Idle connections to the service close after four seconds. */
const REST_MS = 15_000;
const POLL_MS = 250;
/** The pool keeps large buffers for ten seconds after their last use. */
const POOL_IDLE_MS = 11_000;
/** After this time without any activity, the engine has returned memory to the system. */
const IDLE_MS = 30_000;

const { SOAK_CACHE = 'off' } = process.env;
const settings = {
  UPSTREAM_TIMEOUT_MS: '1000',
  OPERATION_TIMEOUT_MS: '3000',
  UPSTREAM_MAX_BYTES: String(MAX_BYTES),
  MAX_OPERATIONS: String(MAX_OPERATIONS),
  UPSTREAM_OUTAGE_MS: '500',
  LOG_LEVEL: 'warn',
  // Small and short, so that responses come and go all the time, and external memory stays within its allowance.
  CACHE: SOAK_CACHE,
  CACHE_MAX_BYTES: String(4 * 2 ** 20),
  CACHE_METADATA_SECONDS: '1',
  CACHE_RESULTS_SECONDS: '1',
  CACHE_STALE_SECONDS: '1',
};

const service = await startFaultyService(FAULTY_SHARE);
const subject = await startSubject(service.url, settings);
const tally = new Tally();
const started = performance.now();
const idle = await subject.sample();
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
  await round(true);
  // Wait until the pool has freed its buffers.
  await setTimeout(POOL_IDLE_MS);
  const first = await subject.sample();
  say(`warm: ${described(first)}`);
  const atStart = surplus({ ...idle, timers: first.timers }, first);
  if (atStart.length > 0) return atStart.map((line) => `${line} before any load`);
  const rests: Rest[] = [];
  for (let number = 1; number <= ROUNDS; number += 1) {
    await round(number % 2 === 1);
    const isLong = number === 1 || number === ROUNDS;
    if (isLong) await setTimeout(POOL_IDLE_MS);
    const sample = await restAfter(first);
    say(`round ${number} of ${ROUNDS}, ${tally.requests} requests: ${described(sample)}`);
    const more = surplus(first, sample);
    if (more.length > 0) return more.map((line) => `${line}, ${REST_MS / 1000} s after round ${number}`);
    const held = unrested(await subject.metrics());
    if (held.length > 0) return held.map((line) => `${line}, in round ${number}`);
    rests.push({ requests: tally.requests, sample, isLong });
  }
  const wrong = growing(rests);
  return wrong.length > 0 ? wrong : failuresAtRest();
}

/** Runs a last round without a sample after it, because taking a sample collects garbage. */
async function failuresAtRest(): Promise<string[]> {
  await round(true);
  const atEnd = subject.resident();
  await setTimeout(IDLE_MS);
  const atRest = subject.resident();
  if (atEnd === null || atRest === null) return [];
  say(
    `resident: ${megabytes(atEnd)} at the end of the load, ${megabytes(atRest)} after ${IDLE_MS / 1000} idle seconds`,
  );
  return unreturned(idle.rss, atRest);
}

/** A round of load. */
async function round(disconnecting: boolean): Promise<void> {
  service.setDown(true);
  const outage = setTimeout(DOWN_MS).then(() => service.setDown(false));
  await Promise.all([load(subject.endpoint, tally, { milliseconds: ROUND_MS, disconnecting }), outage]);
  await overload(subject.endpoint, tally);
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
  const { statuses, errors, failed, requests } = tally;
  const { INTERNAL_SERVER_ERROR: internal = 0 } = errors;
  const unexpected = Object.entries(statuses).filter(([status]) => !['200', '400', '503'].includes(status));
  return [
    ...(internal > 0 ? [`${internal} errors with the code INTERNAL_SERVER_ERROR`] : []),
    ...unexpected.map(([status, count]) => `${count} responses with status ${status}`),
    ...(failed > 0 ? [`${failed} requests without a complete response`] : []),
    ...((statuses[200] ?? 0) < requests / 2 ? ['most requests had no response with status 200'] : []),
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

function described({ heapUsed, rss, external, native, ...counts }: Sample): string {
  const bytes = Object.entries({ heapUsed, external, native, rss }).map(
    ([name, value]) => `${name} ${megabytes(value)}`,
  );
  return [...bytes, ...Object.entries(counts).map(([name, value]) => `${name} ${value}`)].join(', ');
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`;
}

function report(): void {
  const { requests, disconnected, truncated } = tally;
  const seconds = Math.round((performance.now() - started) / 1000);
  say(
    `${requests} requests, ${disconnected} disconnected early, ${truncated} truncated files, ${service.calls()} calls, ${seconds} s`,
  );
  say(`responses by status: ${listed(tally.statuses)}`);
  say(`errors by code: ${listed(tally.errors)}`);
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .map((entry) => entry.join(' '))
    .join(', ');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
