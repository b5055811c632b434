import { chromium, type Page } from 'playwright-core';
import { demoDatasetIds } from '../../simulator/src/demo-data.ts';
import { startGuarded } from '../../test/support/process.ts';
import { chromiumNames, findTool } from '../../test/support/tools.ts';
import { peakMemory } from './processes.ts';

// Measures the pages of the demo in Chromium, and prints a table: `npm run figures`. Nothing else should run meanwhile.

const ROUNDS = 3;
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
const browser = await chromium.launch({
  executablePath: findTool(...chromiumNames) as string,
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  print([...(await firstChart()), ...(await largeDataset())]);
} finally {
  await browser.close();
  await demo.stop();
}

/** From the start page to a chart with dates on the first screen. */
async function firstChart(): Promise<Figure[]> {
  const rounds = await inRounds(async (page, received) => {
    await page.goto(start);
    const link = page.getByRole('link', { name: 'Daily weather' });
    await link.waitFor();
    const began = performance.now();
    await link.click();
    await untilComplete(page);
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

/** The page of a large dataset. */
async function largeDataset(): Promise<Figure[]> {
  const rounds = await inRounds(openLarge);
  return [
    { figure: 'the page of 162 MB: the first values', unit: 's', must: 2, measured: median(rounds, 0) },
    { figure: 'the same: the whole chart', unit: 's', must: 4, measured: median(rounds, 1) },
    { figure: 'the same: the statistics, too', unit: 's', measured: median(rounds, 2) },
    { figure: 'the same: longest task of the page', unit: 'ms', must: 100, measured: median(rounds, 3) },
    { figure: 'the same: bytes of the pages and the data', unit: 'MB', measured: median(rounds, 4) },
    { figure: 'the same: peak memory of the tab', unit: 'MB', must: 200, measured: median(rounds, 5) },
  ];
}

/** Opens the page of the large dataset until its chart and its statistics are there. */
async function openLarge(page: Page, received: () => number): Promise<readonly number[]> {
  const began = performance.now();
  const seconds = () => (performance.now() - began) / 1000;
  await page.goto(new URL(`/datasets/${LARGE}`, start).href);
  await page.waitForFunction(hasValues);
  const first = seconds();
  await untilComplete(page);
  const complete = seconds();
  await page.getByRole('rowheader').first().waitFor();
  return [first, complete, seconds(), await longestTask(page), received() / MB, await peakMemory(page)];
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

/** Runs in the page: whether the chart has a pixel with a colour. Axes and texts are grey. */
function hasValues(): boolean {
  const canvas = document.querySelector<HTMLCanvasElement>('.response-chart canvas');
  const pixels = canvas?.getContext('2d')?.getImageData(0, 0, canvas.width, canvas.height).data ?? [];
  for (let at = 0; at < pixels.length; at += 4) {
    const [red = 0, green = 0, blue = 0] = [pixels[at], pixels[at + 1], pixels[at + 2]];
    if (Math.max(red, green, blue) - Math.min(red, green, blue) > 100) return true;
  }
  return false;
}

/** Waits until all of the chart is drawn. */
async function untilComplete(page: Page): Promise<void> {
  await page.locator('.dataset-response[aria-busy=false] .response-chart canvas').waitFor();
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
