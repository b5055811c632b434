import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changes, piecesOf, sizeOf } from './bodies.ts';
import { type Contestant, contestants } from './contestants.ts';
import { names } from './selections.ts';

/*
 * `node engine/bench/run.ts` compares the engine with `JSON.parse`, and odd bodies with a clean one, and prints tables. All are measured in
 * turns, in one process, and the least of the rounds counts. The ratios are what is worth comparing.
 */

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '5' },
    /** The assets of the large body. */
    assets: { type: 'string', default: '1000' },
    /** For the processes whose memory is measured. */
    peak: { type: 'string' },
    selected: { type: 'string', default: '' },
    body: { type: 'string', default: '' },
  },
});

const LARGE = `${options.assets}x365x3`;
const ENGINE = 'engine';
const PLAIN = 'JSON.parse of all';
/** About so many bytes are read in each measurement. */
const BYTES_AT_ONCE = 8e6;
const CHUNK_BYTES = 1 << 16;

/** Something that is measured: how long it takes to read a body of so many bytes. */
interface Measured {
  readonly run: () => Promise<void>;
  readonly bytes: number;
  /** The least milliseconds of CPU time. */
  best: number;
}

function measured(contestant: Contestant, body: Buffer): Measured {
  const run = async () => contestant([body], () => undefined);
  return { run, bytes: body.length, best: Number.POSITIVE_INFINITY };
}

/** Measures some in turns, more often if they read little: then most of the code is compiled only after many runs. */
async function measure(all: readonly Measured[]): Promise<void> {
  const isShort = all.some(({ bytes }) => bytes < BYTES_AT_ONCE);
  for (let round = Number(options.rounds) * (isShort ? 5 : 1); round > 0; round -= 1)
    for (const each of all) {
      const times = Math.ceil(BYTES_AT_ONCE / each.bytes);
      const before = process.cpuUsage();
      for (let time = 0; time < times; time += 1) await each.run();
      const { user, system } = process.cpuUsage(before);
      each.best = Math.min(each.best, (user + system) / 1000 / times);
    }
}

const bodyOf = (size: string, change?: (json: string, asset: number) => string) =>
  Buffer.concat([...piecesOf(sizeOf(size), change)]);

const contestantOf = (who: string, selected: string) =>
  (contestants[who] as (selected: string) => Contestant)(selected);

/** How much the memory of a process grows at most while it reads the body in a file. In MB. */
function peakOf(who: string, selected: string, path: string): string {
  const args = [import.meta.filename, '--selected', selected, '--peak', who, '--body', path];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  return stdout.trim();
}

/** The engine reads chunk by chunk. The others need all of it. */
async function printPeak(who: string): Promise<void> {
  // The system's own peak may be that of the process that has started this one.
  const before = process.memoryUsage.rss();
  let most = before;
  const look = () => {
    most = Math.max(most, process.memoryUsage.rss());
  };
  const body = who === ENGINE ? chunksOf(options.body) : [readFileSync(options.body)];
  await contestantOf(who, options.selected)(body, look);
  look();
  console.log(((most - before) / 2 ** 20).toFixed(0));
}

function* chunksOf(path: string): Generator<Buffer> {
  const file = openSync(path, 'r');
  const chunk = Buffer.alloc(CHUNK_BYTES);
  for (let length = readSync(file, chunk); length > 0; length = readSync(file, chunk)) yield chunk.subarray(0, length);
  closeSync(file);
}

function printTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): void {
  for (const row of [head, head.map(() => '---'), ...rows]) console.log(`| ${row.join(' | ')} |`);
  console.log();
}

const significant = (value: number) => (value < 10 ? value.toPrecision(2) : value.toFixed(0));
const ratio = (value: number, of: number) => `${(value / of).toFixed(2)}x`;

/** @param folder for files */
async function compareContestants(folder: string): Promise<void> {
  const others = Object.keys(contestants).filter((who) => who !== ENGINE);
  const rows: string[][] = [];
  for (const size of [LARGE, '200x50x5', '10x10x3']) {
    const body = bodyOf(size);
    const path = join(folder, size);
    writeFileSync(path, body);
    for (const selected of names) {
      const engine = measured(contestantOf(ENGINE, selected), body);
      const all = others.map((who) => measured(contestantOf(who, selected), body));
      await measure([engine, ...all]);
      const peaks = [ENGINE, ...others].map((who) => (size === LARGE ? peakOf(who, selected, path) : ''));
      rows.push([
        ...[size, selected, significant(engine.best), significant(body.length / 1000 / engine.best)],
        ...all.map(({ best }) => ratio(best, engine.best)),
        ...peaks,
      ]);
    }
  }
  const head = ['assets x rows x metrics', 'selected', 'engine: CPU ms', 'MB/s', ...others.map((who) => `CPU: ${who}`)];
  printTable([...head, ...[ENGINE, ...others].map((who) => `MB of memory: ${who}`)], rows);
}

async function compareBodies(): Promise<void> {
  const clean = bodyOf(LARGE);
  const rows: string[][] = [];
  for (const [what, change] of Object.entries(changes)) {
    const body = bodyOf(LARGE, change);
    // Columns of names that are new in every row are as wide as rows are many.
    for (const selected of names.filter((name) => name === 'rows' || (name === 'columns' && !what.includes('name')))) {
      const engine = contestantOf(ENGINE, selected);
      const odd = measured(engine, body);
      const others = [measured(engine, clean), measured(contestantOf(PLAIN, selected), body)];
      await measure([odd, ...others]);
      rows.push([what, selected, significant(odd.best), ...others.map(({ best }) => ratio(odd.best, best))]);
    }
  }
  printTable(['odd', 'selected', 'engine: CPU ms', 'of that of the clean body', `of that of ${PLAIN}`], rows);
}

if (options.peak !== undefined) await printPeak(options.peak);
else {
  const folder = mkdtempSync(join(tmpdir(), 'engine-bench-'));
  try {
    await compareContestants(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
  await compareBodies();
}
