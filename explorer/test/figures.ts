import { chromium, type Page } from 'playwright-core';
import { startChild } from '../../bench/children.ts';
import { demoDatasetIds } from '../../simulator/src/demo-data.ts';
import { startGuarded } from '../../test/support/process.ts';
import { peakMemory } from './processes.ts';

// Measures the pages of the demo in Chromium, and prints a table: `npm run figures`. Nothing else should run meanwhile.

const ROUNDS = 3;
/** The assets, dates and metrics of a large dataset: its results have 71 MB. */
const SIZE = '1000x365x3';
/** The demo's dataset of 1,000 fields: 162 MB. */
const LARGE = demoDatasetIds.fields;
const KB = 1000;
const MB = 1_000_000;

/** A figure, with what it must be at most. */
interface Figure {
  readonly figure: string;
  readonly unit: 's' | 'ms' | 'kB' | 'MB';
  /** Undefined: nothing is promised. */
  readonly must?: number;
  /** The median of the rounds. */
  readonly measured: number;
}

const demo = startGuarded(process.execPath, ['simulator/demo.ts'], { env: { PORT: '0', LOG_LEVEL: 'silent' } });
const [, start = ''] = await demo.printed(/^Start page: (\S+)/m);
const service = await startChild('the REST service', 'upstream.ts', {}, []);
const settings = { PORT: '0', EXPLORER: 'graphiql', LOG_LEVEL: 'warn' };
const subgraph = await startChild(
  'the subgraph',
  '../src/main.ts',
  { ...settings, DATASET_SERVICE_URL: service.url },
  [],
);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  print([...(await firstChart()), ...(await largeDatasets())]);
} finally {
  await browser.close();
  await Promise.all([demo.stop(), subgraph.stop(), service.stop()]);
}

/** From the start page to a chart with dates on the first screen. */
async function firstChart(): Promise<Figure[]> {
  const rounds = await inRounds(async (page, received) => {
    await page.goto(start);
    const link = page.getByRole('link', { name: 'Daily weather' });
    await link.waitFor();
    const began = performance.now();
    await link.click();
    await untilDrawn(page);
    const seconds = (performance.now() - began) / 1000;
    const box = await page.locator('.response-chart canvas').first().boundingBox();
    if (box === null || box.y + 200 > 720) throw new Error('The first chart is not on the first screen.');
    return [seconds, received() / KB];
  });
  return [
    { figure: 'a click on the start page to a chart', unit: 's', must: 1.5, measured: median(rounds, 0) },
    { figure: 'the same: bytes of the pages and the data', unit: 'kB', measured: median(rounds, 1) },
  ];
}

/** The pages of large datasets. */
async function largeDatasets(): Promise<Figure[]> {
  const size = await inRounds((page, received) =>
    openLarge(page, received, new URL(`/datasets/${SIZE}`, subgraph.url)),
  );
  const fields = await inRounds((page, received) => openLarge(page, received, new URL(`/datasets/${LARGE}`, start)));
  return [
    { figure: `${SIZE}: the first picture`, unit: 's', must: 2, measured: median(size, 0) },
    { figure: 'the same: longest task of the page', unit: 'ms', must: 100, measured: median(size, 1) },
    { figure: 'the same: bytes of the pages and the data', unit: 'MB', measured: median(size, 2) },
    { figure: 'the same: peak memory of the tab', unit: 'MB', must: 200, measured: median(size, 3) },
    { figure: 'the 1,000 fields of the demo: the first picture', unit: 's', measured: median(fields, 0) },
  ];
}

/** Opens the page of a dataset until its chart and its statistics are there. */
async function openLarge(page: Page, received: () => number, url: URL): Promise<readonly number[]> {
  const began = performance.now();
  await page.goto(url.href);
  await untilDrawn(page);
  const seconds = (performance.now() - began) / 1000;
  await page.getByRole('rowheader').first().waitFor();
  return [seconds, await longestTask(page), received() / MB, await peakMemory(page)];
}

/** Measures on a new page with an empty cache, in each round. Returns the figures of each round. */
async function inRounds(
  measure: (page: Page, received: () => number) => Promise<readonly number[]>,
): Promise<readonly (readonly number[])[]> {
  const rounds: (readonly number[])[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 720 } });
    const page = await context.newPage();
    await page.addInitScript(watchTasks);
    // The pages of the demo have a token of their own.
    await page.addInitScript((origin) => {
      if (location.origin === origin) sessionStorage.setItem('dataset-subgraph:token', 'token');
    }, new URL(subgraph.url).origin);
    rounds.push(await measure(page, await countBytes(page)));
    await context.close();
  }
  return rounds;
}

/** Counts the bytes that the page receives, as they are on the wire. */
async function countBytes(page: Page): Promise<() => number> {
  let bytes = 0;
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  session.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength;
  });
  return () => bytes;
}

/** Runs in the page: notes its longest task. Chromium reports those of 50 milliseconds and more. */
function watchTasks(): void {
  const tasks = { longest: 0 };
  Object.assign(globalThis, { tasks });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) tasks.longest = Math.max(tasks.longest, duration);
  }).observe({ type: 'longtask', buffered: true });
}

/** The longest task since the last call, in milliseconds; 0 if all were shorter than 50. */
function longestTask(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { tasks } = globalThis as unknown as { tasks: { longest: number } };
    const { longest } = tasks;
    tasks.longest = 0;
    return longest;
  });
}

/** Waits until a chart is drawn. The editors have canvases, too. */
async function untilDrawn(page: Page): Promise<void> {
  await page.locator('canvas[data-zr-dom-id]').first().waitFor();
}

/** The median of one figure. */
function median(rounds: readonly (readonly number[])[], figure: number): number {
  const sorted = rounds.map((round) => round[figure] ?? Number.NaN).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

function print(figures: readonly Figure[]): void {
  const rows = figures.map(({ figure, unit, must, measured }) => {
    const text = `${measured < 10 ? measured.toPrecision(2) : measured.toFixed(0)} ${unit}`;
    if (must === undefined) return `| ${figure} | | ${text} | |`;
    return `| ${figure} | at most ${must} ${unit} | ${text} | ${measured <= must ? 'ok' : 'MISSED'} |`;
  });
  process.stdout.write(`${['| figure | must hold | measured | |', '|---|---|---|---|', ...rows].join('\n')}\n`);
}
