// `npm run soak`: the real program under mixed load for some minutes, over a service that fails in every way, with clients
// that leave. Between rounds of load it comes to rest, and must hold no more then than after the first round; and when all
// is over it must give memory back to the system by itself. Prints
// figures, and ends with exit code 1 where something was wrong.
import { setTimeout } from 'node:timers/promises';
import { emptyTally, fillCaches, load } from './load.ts';
import { MAX_BYTES, startFaultyService } from './service.ts';
import { type Sample, type Subject, startSubject } from './subject.ts';
import { growing, type Rest, slope, surplus, unreturned } from './verdict.ts';

const minutes = Number(process.env.SOAK_MINUTES ?? 10);
if (!(minutes > 0 && minutes <= 24 * 60)) throw new RangeError('SOAK_MINUTES must be above 0 and at most 1440.');

/** Rounds that are judged; before them goes one to warm up, and after them one whose memory is given back. */
const ROUNDS = Math.max(6, Math.min(30, Math.round(minutes * 2)));
const ROUND_MS = (minutes * 60_000) / (ROUNDS + 2);
const FAULTY_SHARE = 0.06;
/** In each round the service is down for so long, so that what guards against outages works too. */
const DOWN_MS = Math.min(1000, ROUND_MS / 5);

/** Idle connections to the service are closed after four seconds; what is left after this is kept for good. */
const REST_MS = 15_000;
const POLL_MS = 250;
/** Memory of large answers is kept for ten seconds after its last use. */
const KEPT_MS = 11_000;
/** After this long without a request, a sample or anything else the engine has given memory back to the system. */
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
const wrong = [...outcome, ...wrongResponses(), ...(await wrongEnding(subject))];
await service.close();
report();
for (const line of wrong) say(`WRONG: ${line}`);
say(wrong.length === 0 ? 'Nothing is wrong.' : `${wrong.length} things are wrong.`);
process.exit(wrong.length === 0 ? 0 : 1);

/** Loads and rests by turns; gives what is wrong with the samples. */
async function soak(): Promise<string[]> {
  await fillCaches(subject.endpoint, tally);
  await round();
  // Once all of it, sockets and memory kept for the next answer, is let go of.
  await setTimeout(KEPT_MS);
  const first = await subject.sample();
  say(`warm: ${described(first)}`);
  const atStart = surplus({ ...idle, timers: first.timers }, first);
  if (atStart.length > 0) return atStart.map((line) => `${line} before any load`);
  const rests: Rest[] = [];
  for (let number = 1; number <= ROUNDS; number += 1) {
    await round();
    const isLong = number === 1 || number === ROUNDS;
    if (isLong) await setTimeout(KEPT_MS);
    const sample = await restAfter(first);
    say(`round ${number} of ${ROUNDS}, ${tally.requests} requests: ${described(sample)}`);
    const more = surplus(first, sample);
    if (more.length > 0) return more.map((line) => `${line}, ${REST_MS / 1000} s after round ${number}`);
    rests.push({ requests: tally.requests, sample, isLong });
  }
  say(`slopes in bytes a request: ${slopes(rests)}`);
  const grown = growing(rests);
  return grown.length > 0 ? grown : wrongAtRest();
}

/** A last round, after which nothing happens any more: no sample either, since to take one collects the garbage. */
async function wrongAtRest(): Promise<string[]> {
  await round();
  const atEnd = subject.resident();
  await setTimeout(IDLE_MS);
  const atRest = subject.resident();
  clearInterval(watching);
  if (atEnd === null || atRest === null) return [];
  const [most, end, rest] = [maxResident, atEnd, atRest].map(megabytes);
  say(`resident: ${most} at most, ${end} when the load ended, ${rest} after ${IDLE_MS / 1000} s of nothing`);
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

/** Waits until nothing is held that was not held at first, but not for ever; what is held then. */
async function restAfter(first: Sample): Promise<Sample> {
  const until = performance.now() + REST_MS;
  for (;;) {
    const sample = await subject.sample();
    if (surplus(first, sample).length === 0 || performance.now() > until) return sample;
    await setTimeout(POLL_MS);
  }
}

function wrongResponses(): string[] {
  const internal = tally.codes.get('INTERNAL_SERVER_ERROR') ?? 0;
  const failed = [...tally.statuses].filter(([status]) => ![200, 400, 503].includes(status));
  return [
    ...(internal > 0 ? [`${internal} errors with the code INTERNAL_SERVER_ERROR`] : []),
    ...failed.map(([status, count]) => `${count} answers with the status ${status}`),
    ...(tally.broken > 0 ? [`${tally.broken} requests without a whole answer`] : []),
    ...((tally.statuses.get(200) ?? 0) < tally.requests / 2 ? ['most requests had no answer of status 200'] : []),
  ];
}

async function wrongEnding({ stop }: Subject): Promise<string[]> {
  const { code, stderr, internalErrors } = await stop();
  return [
    ...(code === 0 ? [] : [`the exit code ${code}`]),
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
    `${tally.requests} requests, ${tally.left} left early, ${service.calls()} REST calls, in ${Math.round(seconds)} s`,
  );
  for (const [title, latencies] of tally.latencies) {
    const sorted = latencies.toSorted((a, b) => a - b);
    const at = (share: number) => (sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1);
    const rate = (latencies.length / (minutes * 60) || 0).toFixed(1);
    say(`  ${title}: ${latencies.length}, ${rate} a second under load, median ${at(0.5)} ms, p99 ${at(0.99)} ms`);
  }
  say(`answers by status: ${listed(tally.statuses)}`);
  say(`errors by code: ${listed(tally.codes)}`);
}

function listed(counts: ReadonlyMap<string | number, number>): string {
  return [...counts].map(([key, count]) => `${key} ${count}`).join(', ');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
