import { describe, expect, it } from 'vitest';
import { inBrowser, openExplorer, openTab, runOperation, useChromium } from './browser.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';
import { drawTemperatures, openResponseTab, pointAtMark, savedCsv, showData } from './response.ts';

useChromium();

/** The first columns of every CSV, as in that of `ask`. */
const LEADING = 'asset_id,asset_name,asset_version,value_date';

describe('What is drawn, whatever it is called', () => {
  const place = { latitude: 1, longitude: 2 };

  it.each<[string, unknown, string[]]>([
    [
      'columns and their parts under other names',
      {
        d: {
          name: 'D',
          s: {
            a: { name: 'A' },
            version: '9007199254740993',
            c: { when: ['2015', null], m: [{ n: 'p', v: [1.5, -2] }] },
          },
        },
      },
      [`${LEADING},p`, ',A,9007199254740993,2015,1.5', ',A,9007199254740993,,-2'],
    ],
    [
      'rows with their metrics, the first of which counts',
      {
        d: {
          name: 'D',
          rows: [
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
      [`${LEADING},p,q`, ',,,w1,1,', ',,,w2,,'],
    ],
    [
      'rows with single values, of an asset around them',
      {
        d: {
          name: 'D',
          asset: { name: 'A', centroid: place, series: { rows: [{ valueDate: 'w1', low: 1, high: null }] } },
        },
      },
      [`${LEADING},low,high`, ',A,,w1,1,'],
    ],
    [
      'several assets in a list, with a value beside each date',
      {
        d: {
          name: 'D',
          nodes: [
            { asset: { assetId: 'a' }, rows: [{ valueDate: 'w1', value: 1 }] },
            { asset: { assetId: 'b' }, rows: [{ valueDate: 'w1', value: 2 }] },
          ],
        },
      },
      [`${LEADING},value`, 'a,,,w1,1', 'b,,,w1,2'],
    ],
    [
      'rows with single values, whose dates have another name',
      {
        d: {
          name: 'D',
          rows: [
            { when: '2015-01-01', low: 1 },
            { when: null, low: 2 },
          ],
        },
      },
      [`${LEADING},low`, ',,,2015-01-01,1', ',,,,2'],
    ],
    [
      'metrics whose names look like dates',
      { d: { name: 'D', rows: [{ valueDate: 'w1', metrics: [{ name: '2015', value: 1 }] }] } },
      [`${LEADING},2015`, ',,,w1,1'],
    ],
    [
      'columns without dates, of a dataset without a name',
      { mine: { columns: { metrics: [{ name: 'p', values: [1, 2] }] } } },
      [`${LEADING},p`, ',,,1,1', ',,,2,2'],
    ],
    [
      'texts that a spreadsheet would take for formulas, but not numbers',
      {
        d: {
          name: 'D',
          s: {
            asset: { assetId: '=1+1', name: '@a, "b"' },
            columns: { valueDates: ['-1', '+1', '\t1'], metrics: [{ name: '-m', values: [-1, 0.5, 1e21] }] },
          },
        },
      },
      [`${LEADING},'-m`, `'=1+1,"'@a, ""b""",,'-1,-1`, `'=1+1,"'@a, ""b""",,'+1,0.5`, `'=1+1,"'@a, ""b""",,'\t1,1e+21`],
    ],
  ])('%s', async (_what, data, lines) => {
    const { page, problems } = await openExplorer();
    await showData(page, data);
    await page.locator('.response-chart canvas').waitFor();
    expect(await savedCsv(page)).toBe([...lines, ''].join('\r\n'));
    expect(problems).toEqual([]);
  });

  inBrowser('but nothing else', async ({ page }) => {
    await showData(page, {
      dataset: {
        name: 'D',
        processing: { id: 'p', name: 'P' },
        assets: [{ name: 'A', surfaceAreaM2: 5, categories: ['field'] }],
        ids: [{ assetId: '2015', surfaceAreaM2: 5 }],
        names: [{ name: '2015-06-01', surfaceAreaM2: 5 }],
        aliased: [{ field: '2015', surfaceAreaM2: 5 }],
        download: { method: 'GET', requiredHeaders: ['Authorization: Bearer <ACCESS_TOKEN>'] },
      },
    });
    await expect.poll(() => page.locator('.response').innerText()).toContain('Nothing here can be drawn.');
    expect(await page.getByRole('tab', { name: 'JSON' }).getAttribute('aria-selected')).toBe('true');
  });
});

describe('The map', () => {
  inBrowser('shows where the assets are, with their names, on the coasts', async ({ page }) => {
    await openTab(page, 'Rows');
    await runOperation(page);
    await openResponseTab(page, 'Map');
    const map = page.locator('.response-map');
    await expect.poll(async () => pixelsOf(await drawnOn(page, '.response-map'), FIRST).length).toBeGreaterThan(50);
    expect(await map.getAttribute('aria-label')).toMatch(
      /^A map with Seattle-Tacoma at 47\.449, -122\.309; New York \(Central Park\) at 40\.779, -73\.969\. /,
    );
    const picture = await drawnOn(page, '.response-map');
    const marks = pixelsOf(picture, FIRST).map(({ x }) => x / picture.width);
    // One mark in the west, one in the east, and land between them.
    expect(marks.filter((x) => x < 0.4).length).toBeGreaterThan(20);
    expect(marks.filter((x) => x > 0.6).length).toBeGreaterThan(20);
    expect(pixelsOf(picture, [0xe3, 0xe7, 0xee]).length).toBeGreaterThan((picture.width * picture.height) / 5);
  });

  inBrowser('shows a name under the pointer', async ({ page }) => {
    await drawTemperatures(page);
    await pointAtMark(page);
    await expect
      .poll(() => page.locator('.response-map .response-tip').innerText())
      .toBe('Seattle-Tacoma 47.449, -122.309');
  });

  inBrowser('shows the line of a place alone by a click, and by keys', async ({ page }) => {
    await openTab(page, 'Rows');
    await runOperation(page);
    const count = page.locator('.response-count');
    await expect.poll(() => count.innerText()).toBe('2 of 2');
    await pointAtMark(page);
    await page.mouse.down();
    await page.mouse.up();
    await expect.poll(() => count.innerText()).toBe('1 of 2');
    await openResponseTab(page, 'Map');
    await page.locator('.response-map').focus();
    await page.keyboard.press('End');
    expect(await page.locator('.response-reading').innerText()).toBe('New York (Central Park) 40.779, -73.969');
    await page.keyboard.press('Enter');
    await expect.poll(() => count.innerText()).toBe('1 of 2');
    const pressed = page.getByRole('list', { name: 'Lines' }).locator('[aria-pressed=true]');
    expect(await pressed.allInnerTexts()).toEqual(['New York (Central Park)']);
  });

  inBrowser('has no line across it where coasts pass 180 degrees', async ({ page }) => {
    const place = (name: string, latitude: number, longitude: number) => ({
      asset: { name, centroid: { latitude, longitude } },
      columns: { valueDates: ['2015-01-01'], metrics: [{ name: 'm', values: [1] }] },
    });
    await showData(page, { dataset: { nodes: [place('a', 75, -179), place('b', 40, 179)] } });
    await openResponseTab(page, 'Map');
    await expect.poll(async () => pixelsOf(await drawnOn(page, '.response-map'), FIRST).length).toBeGreaterThan(50);
    const picture = await drawnOn(page, '.response-map');
    // The longest run of coast in one row of pixels: a line across the map is nearly as long as the map.
    // A line of half a pixel has half of its colour.
    const coast = new Set(pixelsOf(picture, [0x92, 0x9c, 0xae]).map(({ x, y }) => y * picture.width + x));
    let longest = 0;
    for (let y = 0; y < picture.height; y++) {
      for (let x = 0, run = 0; x < picture.width; x++) {
        run = coast.has(y * picture.width + x) ? run + 1 : 0;
        longest = Math.max(longest, run);
      }
    }
    expect(coast.size).toBeGreaterThan(200);
    expect(longest).toBeLessThan(picture.width / 8);
  });

  inBrowser('has water in the Caspian Sea, and land around it', async ({ page }) => {
    const place = (name: string, latitude: number, longitude: number) => ({
      asset: { name, centroid: { latitude, longitude } },
      columns: { valueDates: ['2015-01-01'], metrics: [{ name: 'm', values: [1] }] },
    });
    await showData(page, { dataset: { nodes: [place('a', 36, 45), place('b', 48, 57)] } });
    await openResponseTab(page, 'Map');
    await expect.poll(async () => pixelsOf(await drawnOn(page, '.response-map'), FIRST).length).toBeGreaterThan(50);
    const picture = await drawnOn(page, '.response-map');
    const land = new Set(pixelsOf(picture, [0xe3, 0xe7, 0xee]).map(({ x, y }) => y * picture.width + x));
    const isLand = (x: number, y: number) =>
      land.has(Math.round(y * picture.height) * picture.width + Math.round(x * picture.width));
    // The sea is between the two places.
    expect([isLand(0.5, 0.5), isLand(0.4, 0.85), isLand(0.6, 0.15)]).toEqual([false, true, true]);
  });

  inBrowser('says which fields it needs where the response has no places', async ({ page }) => {
    await showData(page, { dataset: { columns: { metrics: [{ name: 'm', values: [1] }] } } });
    await openResponseTab(page, 'Map');
    expect(await page.locator('.response').innerText()).toContain('No places: select “centroid”');
  });
});

describe('A file', () => {
  inBrowser('of this server is offered as a link, and no other', async ({ page, endpoint }) => {
    const url = new URL('/download/a-ticket', endpoint).href;
    await showData(page, {
      dataset: { name: 'Earthquakes', download: { url } },
      other: { name: 'Another', download: { url: 'https://evil.example/download/a-ticket' } },
      script: { name: 'Script', download: { url: 'javascript:alert(1)//download/' } },
    });
    const links = page.locator('.response a');
    await links.first().waitFor();
    expect(
      await links.evaluateAll((all) => all.map((link) => [link.textContent, (link as HTMLAnchorElement).href])),
    ).toEqual([['Download Earthquakes', url]]);
  });
});

describe('On a narrow screen', () => {
  inBrowser(
    'nothing scrolls sideways, and query and chart are within reach',
    async ({ page }) => {
      const sideways = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      expect(await sideways()).toBe(0);
      await drawTemperatures(page);
      expect(await sideways()).toBe(0);
      for (const name of [/^Execute query/, 'Save as PNG', 'Zoom in', 'temp_max']) {
        const button = page.getByRole('button', { name });
        await button.scrollIntoViewIfNeeded();
        const box = await button.boundingBox();
        expect(box && box.x >= 0 && box.x + box.width <= 390).toBe(true);
      }
      expect(pixelsOf(await drawnOn(page, '.response-chart'), FIRST).length).toBeGreaterThan(500);
    },
    { width: 390, height: 844 },
  );
});

describe('In the dark', () => {
  it('has a dark page with lines of lighter colours', async () => {
    const { page, problems } = await openExplorer({ colorScheme: 'dark' });
    await drawTemperatures(page);
    const picture = await drawnOn(page, '.response-chart');
    expect(pixelsOf(picture, [0xff, 0x8c, 0x42]).length).toBeGreaterThan(500);
    expect(pixelsOf(picture, FIRST)).toHaveLength(0);
    expect(await page.locator('#page').evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(33, 42, 59)',
    );
    expect(problems).toEqual([]);
  });
});
