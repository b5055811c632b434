import { describe, expect, it } from 'vitest';
import { inBrowser, openExplorer, useChromium } from './browser.ts';
import { drawnOn, FIRST, pixelsOf } from './pixels.ts';
import { drawTemperatures, savedCsv, showData } from './response.ts';

useChromium();

/** The first columns of every CSV, as in that of `ask`. */
const NUMBERED = 'asset_id,asset_name,asset_version,value_date';
const LEADING_COLUMNS = `${NUMBERED}_utc`;

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
      [`${LEADING_COLUMNS},p`, ",A,'9007199254740993,2015-01-01,1.5", ",A,'9007199254740993,,-2"],
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
      [`${LEADING_COLUMNS},p,q`, ',,,w1,1,', ',,,w2,,'],
    ],
    [
      'rows with single values, of an asset around them',
      {
        d: {
          name: 'D',
          asset: { name: 'A', centroid: place, series: { rows: [{ valueDate: 'w1', low: 1, high: null }] } },
        },
      },
      [`${LEADING_COLUMNS},low,high`, ',A,,w1,1,'],
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
      [`${LEADING_COLUMNS},value`, 'a,,,w1,1', 'b,,,w1,2'],
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
      [`${LEADING_COLUMNS},low`, ',,,2015-01-01,1', ',,,,2'],
    ],
    [
      'metrics whose names look like dates',
      { d: { name: 'D', rows: [{ valueDate: 'w1', metrics: [{ name: '2015', value: 1 }] }] } },
      [`${LEADING_COLUMNS},2015`, ',,,w1,1'],
    ],
    [
      'columns without dates, of a dataset without a name',
      { mine: { columns: { metrics: [{ name: 'p', values: [1, 2] }] } } },
      [`${NUMBERED},p`, ',,,1,1', ',,,2,2'],
    ],
    [
      'texts that a spreadsheet would run or change, but not numbers',
      {
        d: {
          name: 'D',
          s: {
            asset: { assetId: '01001', name: '@a, "b"' },
            columns: { valueDates: ['-1', '+1', '\t1'], metrics: [{ name: '-m', values: [-1, 0.5, 1e21] }] },
          },
        },
      },
      [
        `${LEADING_COLUMNS},'-m`,
        `'01001,"'@a, ""b""",,'-1,-1`,
        `'01001,"'@a, ""b""",,'+1,0.5`,
        `'01001,"'@a, ""b""",,'\t1,1e+21`,
      ],
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
        assetsByIds: [{ name: 'A', surfaceAreaM2: 5, categories: ['field'] }],
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
    const pixels = async (color: readonly [number, number, number]) =>
      pixelsOf(await drawnOn(page, '.response-chart'), color).length;
    await expect.poll(() => pixels([0xff, 0x8c, 0x42])).toBeGreaterThan(500);
    expect(await pixels(FIRST)).toBe(0);
    expect(await page.locator('#page').evaluate((element) => getComputedStyle(element).backgroundColor)).toBe(
      'rgb(33, 42, 59)',
    );
    expect(problems).toEqual([]);
  });
});
