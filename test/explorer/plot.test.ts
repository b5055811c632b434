import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { queryAt } from '../harness.ts';
import {
  type Explorer,
  editorText,
  inBrowser,
  openExplorer,
  openTab,
  runOperation,
  tabNames,
  useChromium,
} from './browser.ts';
import { drawnOn, FIRST, meanHeight, pixelsOf, SECOND } from './pixels.ts';

useChromium();

/** Runs the first example, and waits for its chart. */
async function plotTemperatures(page: Page): Promise<void> {
  await runOperation(page);
  await page.locator('.plot-chart canvas').waitFor();
}

/** Runs the operation with this data as its response. */
async function plotData(page: Page, data: unknown): Promise<void> {
  await page.route('**/graphql', (route) => route.fulfill({ json: { data } }));
  await runOperation(page);
  await page.unroute('**/graphql');
}

/** Clicks a button and returns the saved file. */
async function saved(page: Page, name: string): Promise<{ name: string; bytes: Buffer }> {
  const saving: Promise<Download> = page.waitForEvent('download');
  await page.getByRole('button', { name, exact: true }).click();
  const download = await saving;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** The data of the first example: the dates of a year and two columns. */
async function temperatures({ page, endpoint }: Explorer) {
  const [document, variables] = [await editorText(page, 'operation.graphql'), await editorText(page, 'variables.json')];
  const { body } = await queryAt(endpoint, document, { variables: JSON.parse(variables), token: 'demo-token' });
  const { valueDates, metrics } = body.data.dataset.results.series.nodes[0].columns;
  const [highest, lowest] = metrics.map(({ values }: { values: number[] }) => values);
  return { dates: valueDates as string[], highest: highest as number[], lowest: lowest as number[] };
}

/** Moves the pointer to a part of the chart's width. Returns the lines of the tooltip. */
async function hover(page: Page, part: number): Promise<string[]> {
  const box = await page.locator('.plot-chart').first().boundingBox();
  if (box === null) throw new Error('There is no chart.');
  await page.mouse.move(box.x + box.width * part, box.y + box.height / 3);
  const tip = page.locator('.plot-chart .plot-tip').first();
  return (await tip.innerText()).split('\n').map((line) => line.trim());
}

/** Moves the pointer to a mark on the map. */
async function pointAtMark(page: Page): Promise<void> {
  await expect.poll(async () => pixelsOf(await drawnOn(page, '.plot-map'), FIRST).length).toBeGreaterThan(50);
  const [mark] = pixelsOf(await drawnOn(page, '.plot-map'), FIRST).slice(30);
  await page.locator('.plot-map').scrollIntoViewIfNeeded();
  const box = await page.locator('.plot-map canvas').boundingBox();
  if (mark === undefined || box === null) throw new Error('There is no mark.');
  await page.mouse.move(box.x + mark.x, box.y + mark.y);
}

describe('The chart', () => {
  inBrowser('draws both lines: warm in July, cold in January, the highest above the lowest', async ({ page }) => {
    await plotTemperatures(page);
    const picture = await drawnOn(page, '.plot-chart');
    const highest = pixelsOf(picture, FIRST);
    const lowest = pixelsOf(picture, SECOND);
    expect(highest.length).toBeGreaterThan(500);
    expect(lowest.length).toBeGreaterThan(500);
    const [january, july] = [[0, 1 / 12] as const, [6 / 12, 7 / 12] as const];
    // Heights count from the top: warmer values are smaller.
    const rise = meanHeight(highest, ...january) - meanHeight(highest, ...july);
    expect(rise).toBeGreaterThan(picture.height / 5);
    for (const month of [january, july]) {
      expect(meanHeight(lowest, ...month) - meanHeight(highest, ...month)).toBeGreaterThan(picture.height / 50);
    }
  });

  inBrowser('shows the values of the date under the pointer', async (explorer) => {
    const { page } = explorer;
    await plotTemperatures(page);
    const { dates, highest, lowest } = await temperatures(explorer);
    const shown = new Set<string>();
    for (const part of [0.2, 0.5, 0.8]) {
      const [date = '', ...values] = await hover(page, part);
      const row = dates.indexOf(date);
      expect(row).toBeGreaterThan(0);
      expect(values.filter((text) => text !== '')).toEqual([
        'temp_max',
        `${highest[row]}`,
        'temp_min',
        `${lowest[row]}`,
      ]);
      shown.add(date.slice(0, 7));
    }
    expect(shown.size).toBe(3);
  });

  inBrowser('zooms by wheel, button and key, and back to the same picture', async ({ page }) => {
    await plotTemperatures(page);
    const picture = async () => (await drawnOn(page, '.plot-chart')).data;
    const whole = await picture();
    const zoomed = async () => !(await picture()).equals(whole);
    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await zoomed()).toBe(true);
    await page.getByRole('button', { name: 'Zoom out' }).click();
    expect(await zoomed()).toBe(false);
    await page.locator('.plot-chart').hover();
    await page.mouse.wheel(0, -300);
    await expect.poll(zoomed).toBe(true);
    await page.mouse.move(5, 5);
    await page.getByRole('button', { name: 'Whole time' }).click();
    await expect.poll(zoomed).toBe(false);
    await page.locator('.plot-chart').focus();
    await page.keyboard.press('+');
    expect(await zoomed()).toBe(true);
    await page.keyboard.press('0');
    expect(await zoomed()).toBe(false);
  });

  inBrowser('hides and shows a line by its name', async ({ page }) => {
    await plotTemperatures(page);
    const count = async (colour: typeof FIRST | typeof SECOND) =>
      pixelsOf(await drawnOn(page, '.plot-chart'), colour).length;
    const name = page.getByRole('button', { name: 'temp_min' });
    expect(await name.getAttribute('aria-pressed')).toBe('true');
    const before = await count(SECOND);
    await name.click();
    expect(await name.getAttribute('aria-pressed')).toBe('false');
    expect(await count(SECOND)).toBe(0);
    expect(await count(FIRST)).toBeGreaterThan(500);
    await name.click();
    expect(await count(SECOND)).toBe(before);
  });

  inBrowser('is drawn from rows like from columns, with a line for each metric of each asset', async ({ page }) => {
    await openTab(page, 'Rows');
    await runOperation(page);
    const legend = page.getByRole('list', { name: 'Lines' }).getByRole('button');
    await legend.first().waitFor();
    const metrics = ['precipitation', 'temp_max', 'temp_min', 'wind'];
    expect(await legend.allInnerTexts()).toEqual(
      ['Seattle-Tacoma', 'New York (Central Park)'].flatMap((asset) => metrics.map((metric) => `${asset}: ${metric}`)),
    );
    expect(pixelsOf(await drawnOn(page, '.plot-chart'), SECOND).length).toBeGreaterThan(100);
  });

  inBrowser('exists for each dataset, with the asset’s name', async ({ page }) => {
    await openTab(page, 'SeveralDatasets');
    await runOperation(page);
    await page.locator('.plot-chart canvas').nth(1).waitFor();
    expect(await page.locator('.plot h3').allInnerTexts()).toEqual([
      'Mauna Loa CO2: Mauna Loa Observatory',
      'Iowa electricity by source: Iowa',
    ]);
  });

  inBrowser('belongs to the open tab', async ({ page }) => {
    await plotTemperatures(page);
    await openTab(page, 'Metadata');
    await page.locator('.plot-chart').waitFor({ state: 'detached' });
    await openTab(page, 'Columns');
    await page.locator('.plot-chart canvas').waitFor();
    expect(pixelsOf(await drawnOn(page, '.plot-chart'), FIRST).length).toBeGreaterThan(500);
    expect(await tabNames(page)).toHaveLength(6);
  });

  inBrowser('has gaps for missing values, and shows unknown date formats unchanged', async ({ page }) => {
    const values = [1, 1, null, null, 1, 1];
    const columns = (valueDates: string[]) => ({ columns: { valueDates, metrics: [{ name: 'm', values }] } });
    const widths = async () => {
      const places = pixelsOf(await drawnOn(page, '.plot-chart'), FIRST).map(({ x }) => x);
      return [...new Set(places)].sort((a, b) => a - b);
    };
    for (const dates of [
      ['2015-01-01', '2015-01-02', '2015-01-03', '2015-01-04', '2015-01-05', '2015-01-06'],
      ['week 1', 'week 2', 'week 3', 'week 4', 'week 5', 'week 6'],
    ]) {
      await plotData(page, { dataset: { name: 'Gaps', ...columns(dates) } });
      await page.locator('.plot-chart canvas').waitFor();
      const found = await widths();
      const steps = found.map((x, index) => x - (found[index - 1] ?? x));
      const gap = Math.max(...steps);
      // Two of six values are missing: the gap takes three fifths of the line, less its marks.
      expect(gap).toBeGreaterThan(((found.at(-1) ?? 0) - (found[0] ?? 0)) / 3);
      expect(steps.filter((step) => step > gap / 3)).toHaveLength(1);
    }
    await page.locator('.plot-chart').focus();
    await page.keyboard.press('Home');
    expect(await page.locator('.plot-reading').innerText()).toBe('week 1: m 1');
  });

  inBrowser('escapes names', async ({ page }) => {
    const name = '<img src=x onerror="globalThis.ran=1">';
    await plotData(page, {
      dataset: {
        name,
        node: {
          asset: { name, centroid: { latitude: 1, longitude: 2 } },
          columns: {
            valueDates: ['2015-01-01', '2015-01-02'],
            metrics: [
              { name, values: [1, 2] },
              { name: 'b', values: [2, 3] },
            ],
          },
        },
      },
    });
    await page.locator('.plot-map canvas').waitFor();
    expect(await hover(page, 0.9)).toContain(name);
    await pointAtMark(page);
    await expect.poll(() => page.locator('.plot-map .plot-tip').innerText()).toBe(`${name} 1, 2`);
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
  });

  inBrowser('draws a hundred thousand values at once', async ({ page }) => {
    const valueDates = Array.from({ length: 10_000 }, (_, day) => new Date(day * 86_400_000).toISOString());
    const metrics = Array.from({ length: 10 }, (_, metric) => ({
      name: `m${metric}`,
      values: valueDates.map((_, day) => Math.round(1000 * Math.sin(day / 500 + metric)) / 10),
    }));
    await plotData(page, { dataset: { name: 'Many', columns: { valueDates, metrics } } });
    await page.locator('.plot-chart canvas').waitFor();
    expect(pixelsOf(await drawnOn(page, '.plot-chart'), FIRST).length).toBeGreaterThan(200);
    const milliseconds = await page.evaluate(async () => {
      const began = performance.now();
      for (const button of document.querySelectorAll<HTMLButtonElement>('.plot-zoom button')) button.click();
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
      return performance.now() - began;
    });
    expect(milliseconds).toBeLessThan(3000);
  });
});

describe('What the pane saves', () => {
  inBrowser('as PNG: the chart with its title and legend', async ({ page }) => {
    await plotTemperatures(page);
    const { name, bytes } = await saved(page, 'Save as PNG');
    expect(name).toBe('daily-weather-seattle-and-new-york-seattle-tacoma.png');
    const picture = PNG.sync.read(bytes);
    expect([picture.width, picture.height]).toEqual([2400, 1350]);
    expect(pixelsOf(picture, FIRST).length).toBeGreaterThan(2000);
    expect(pixelsOf(picture, SECOND).length).toBeGreaterThan(2000);
    expect([...picture.data.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
  });

  inBrowser('as SVG: a drawing with text, without hidden lines', async ({ page }) => {
    await plotTemperatures(page);
    await page.getByRole('button', { name: 'temp_min' }).click();
    const { name, bytes } = await saved(page, 'Save as SVG');
    expect(name).toBe('daily-weather-seattle-and-new-york-seattle-tacoma.svg');
    const drawing = await page.evaluate((text) => {
      const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml');
      return {
        root: documentElement.tagName,
        texts: [...documentElement.querySelectorAll('text')].map(({ textContent }) => textContent),
        strokes: [...documentElement.querySelectorAll('path')].map((path) => path.getAttribute('stroke')),
      };
    }, bytes.toString());
    expect(drawing.root).toBe('svg');
    expect(drawing.texts).toEqual(
      expect.arrayContaining(['Daily weather, Seattle and New York: Seattle-Tacoma', 'temp_max', 'temp_min']),
    );
    expect(drawing.strokes).toContain('#d55e00');
    expect(drawing.strokes).not.toContain('#0072b2');
  });

  inBrowser('as CSV: the values of the response', async (explorer) => {
    const { page } = explorer;
    await plotTemperatures(page);
    const { name, bytes } = await saved(page, 'Save as CSV');
    expect(name).toBe('daily-weather-seattle-and-new-york-seattle-tacoma.csv');
    const { dates, highest, lowest } = await temperatures(explorer);
    const lines = dates.map(
      (date, row) => `"Daily weather, Seattle and New York",Seattle-Tacoma,${date},${highest[row]},${lowest[row]}`,
    );
    expect(bytes.toString()).toBe(['dataset,asset,date,temp_max,temp_min', ...lines, ''].join('\r\n'));
  });
});

describe('What is drawn, whatever it is called', () => {
  const place = { latitude: 1, longitude: 2 };

  it.each<[string, unknown, string[]]>([
    [
      'columns and their parts under other names',
      { d: { name: 'D', s: { a: { name: 'A' }, c: { when: ['2015', null], m: [{ n: 'p', v: [1.5, -2] }] } } } },
      ['dataset,asset,date,p', 'D,A,2015,1.5', 'D,A,,-2'],
    ],
    [
      'rows with their metrics, the first of which counts',
      {
        d: {
          name: 'D',
          results: [
            {
              valueDate: 'w1',
              metrics: [
                { name: 'p', value: 1 },
                { name: 'p', value: 9 },
              ],
            },
            { valueDate: 'w2', metrics: [{ name: 'q', value: null }] },
          ],
        },
      },
      ['dataset,asset,date,p,q', 'D,,w1,1,', 'D,,w2,,'],
    ],
    [
      'rows with single values, of an asset around them',
      {
        d: {
          name: 'D',
          asset: { name: 'A', centroid: place, series: { rows: [{ valueDate: 'w1', low: 1, high: null }] } },
        },
      },
      ['dataset,asset,date,low,high', 'D,A,w1,1,'],
    ],
    [
      'several assets in a list, with a value beside each date',
      {
        d: {
          name: 'D',
          nodes: [
            { asset: { assetId: 'a' }, results: [{ valueDate: 'w1', value: 1 }] },
            { asset: { assetId: 'b' }, results: [{ valueDate: 'w1', value: 2 }] },
          ],
        },
      },
      ['dataset,asset,date,value', 'D,a,w1,1', 'D,b,w1,2'],
    ],
    [
      'columns without dates, of a dataset without a name',
      { mine: { columns: { metrics: [{ name: 'p', values: [1, 2] }] } } },
      ['dataset,asset,date,p', 'mine,,1,1', 'mine,,2,2'],
    ],
    [
      'texts that a spreadsheet would take for formulas, but not numbers',
      {
        d: {
          name: '=1+1',
          s: {
            asset: { name: '@a, "b"' },
            columns: { valueDates: ['-1', '+1', '\t1'], metrics: [{ name: '-m', values: [-1, 0.5, 1e21] }] },
          },
        },
      },
      [
        "dataset,asset,date,'-m",
        `'=1+1,"'@a, ""b""",'-1,-1`,
        `'=1+1,"'@a, ""b""",'+1,0.5`,
        `'=1+1,"'@a, ""b""",'\t1,1e+21`,
      ],
    ],
  ])('%s', async (_what, data, lines) => {
    const { page, problems } = await openExplorer();
    await plotData(page, data);
    await page.locator('.plot-chart canvas').waitFor();
    const { bytes } = await saved(page, 'Save as CSV');
    expect(bytes.toString()).toBe([...lines, ''].join('\r\n'));
    expect(problems).toEqual([]);
  });

  inBrowser('but nothing else', async ({ page }) => {
    await plotData(page, {
      dataset: {
        name: 'D',
        processing: { id: 'p', name: 'P' },
        assets: [{ name: 'A', surfaceAreaM2: 5, categories: ['field'] }],
        download: { method: 'GET', requiredHeaders: ['Authorization: Bearer <ACCESS_TOKEN>'] },
      },
    });
    await expect.poll(() => page.locator('.plot').innerText()).toContain('This response has nothing to plot.');
  });
});

describe('The map', () => {
  inBrowser('shows where the assets are, with their names, on the coasts', async ({ page }) => {
    await openTab(page, 'Rows');
    await runOperation(page);
    const map = page.locator('.plot-map [role=img]');
    await map.waitFor();
    await expect.poll(async () => pixelsOf(await drawnOn(page, '.plot-map'), FIRST).length).toBeGreaterThan(50);
    expect(await map.getAttribute('aria-label')).toBe(
      'A map with Seattle-Tacoma at 47.449, -122.309; New York (Central Park) at 40.779, -73.969',
    );
    const picture = await drawnOn(page, '.plot-map');
    const marks = pixelsOf(picture, FIRST).map(({ x }) => x / picture.width);
    // One mark in the west, one in the east, and land between them.
    expect(marks.filter((x) => x < 0.4).length).toBeGreaterThan(20);
    expect(marks.filter((x) => x > 0.6).length).toBeGreaterThan(20);
    expect(pixelsOf(picture, [0xe3, 0xe7, 0xee]).length).toBeGreaterThan((picture.width * picture.height) / 4);
  });

  inBrowser('shows a name under the pointer', async ({ page }) => {
    await plotTemperatures(page);
    await pointAtMark(page);
    await expect.poll(() => page.locator('.plot-map .plot-tip').innerText()).toBe('Seattle-Tacoma 47.449, -122.309');
  });
});

describe('A file', () => {
  inBrowser('of this server is offered as a link, and no other', async ({ page, endpoint }) => {
    const url = new URL('/download/a-ticket', endpoint).href;
    await plotData(page, {
      dataset: { name: 'Earthquakes', download: { url } },
      other: { name: 'Another', download: { url: 'https://evil.example/download/a-ticket' } },
      script: { name: 'Script', download: { url: 'javascript:alert(1)//download/' } },
    });
    const links = page.locator('.plot a');
    await links.first().waitFor();
    expect(
      await links.evaluateAll((all) => all.map((link) => [link.textContent, (link as HTMLAnchorElement).href])),
    ).toEqual([['Download Earthquakes', url]]);
  });
});

describe('On a narrow screen', () => {
  inBrowser(
    'nothing scrolls sideways, and query and plot are within reach',
    async ({ page }) => {
      const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(await sideways()).toBe(0);
      await plotTemperatures(page);
      expect(await sideways()).toBe(0);
      for (const name of [/^Execute query/, 'Save as PNG', 'Zoom in', /^temp_max/]) {
        const button = page.getByRole('button', { name });
        await button.scrollIntoViewIfNeeded();
        const box = await button.boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
      }
      expect(pixelsOf(await drawnOn(page, '.plot-chart'), FIRST).length).toBeGreaterThan(500);
    },
    { width: 390, height: 844 },
  );
});

describe('In the dark', () => {
  it('has a dark page with lines of lighter colours', async () => {
    const { page, problems } = await openExplorer({ colorScheme: 'dark' });
    await plotTemperatures(page);
    const picture = await drawnOn(page, '.plot-chart');
    expect(pixelsOf(picture, [0xff, 0x8c, 0x42]).length).toBeGreaterThan(500);
    expect(pixelsOf(picture, FIRST)).toHaveLength(0);
    expect(await page.locator('#page').evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(33, 42, 59)',
    );
    expect(problems).toEqual([]);
  });
});
