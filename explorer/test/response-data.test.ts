import { describe, expect } from 'vitest';
import { inNewTab, useChromium } from './browser.ts';
import { drawData, openResponseTab, savedCsv, showData } from './response.ts';

useChromium();

/** The first columns of every CSV, as in that of `ask`. */
const NUMBERED = 'asset_id,asset_name,asset_version,value_date';
const LEADING_COLUMNS = `${NUMBERED}_utc`;

const metric = (name: string, value: unknown) => ({ name, value });

const cases: readonly (readonly [what: string, data: unknown, lines: readonly string[]])[] = [
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
          { valueDate: 'w1', metrics: [metric('p', 1), metric('p', 9)] },
          { valueDate: 'w2', metrics: [metric('q', null)] },
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
        asset: {
          name: 'A',
          centroid: { latitude: 1, longitude: 2 },
          series: { rows: [{ valueDate: 'w1', low: 1, high: null }] },
        },
      },
    },
    [`${LEADING_COLUMNS},low,high`, ',A,,w1,1,'],
  ],
  [
    'several assets in a list, with a value beside each date',
    {
      d: {
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
    { d: { rows: [{ valueDate: 'w1', metrics: [metric('2015', 1)] }] } },
    [`${LEADING_COLUMNS},2015`, ',,,w1,1'],
  ],
  [
    'columns without dates, of a dataset without a name',
    { mine: { columns: { metrics: [{ name: 'p', values: [1, 2] }] } } },
    [`${NUMBERED},p`, ',,,1,1', ',,,2,2'],
  ],
  [
    'the means of statistics',
    {
      d: {
        s: {
          asset: { assetId: 'a' },
          statistics: [
            { name: 'p', mean: 1.5 },
            { name: 'q', mean: null },
          ],
        },
      },
    },
    [`${NUMBERED},p,q`, 'a,,,whole time,1.5,'],
  ],
  [
    'texts that a spreadsheet would run or change, but not numbers',
    {
      d: {
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
];

describe('What is drawn, whatever it is called', () => {
  inNewTab('has its values in the saved CSV', async ({ page }) => {
    for (const [what, data, lines] of cases) {
      await drawData(page, data);
      expect([what, await savedCsv(page)]).toEqual([what, [...lines, ''].join('\r\n')]);
      await openResponseTab(page, 'Chart');
    }
  });

  inNewTab('is nothing else', async ({ page }) => {
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

  const repeated = [
    { name: 'p', values: [1, 2] },
    { name: 'p', values: [3, null] },
  ];
  const unnamed = [{ values: [1, 2] }, { values: [3, 4] }, { values: [5, 6] }];
  const valueDates = ['2024-01-01', '2024-01-02'];
  const note = (omitted: string) =>
    `${omitted} omitted: of metrics with the same name, or without one, only the first is shown.`;

  inNewTab('is the first of several metrics with one name, or without a name, and a note says so', async ({ page }) => {
    for (const [dataset, label, text] of [
      [{ columns: { valueDates, metrics: repeated } }, 'p', note('1 value is')],
      [{ columns: { valueDates, metrics: unnamed } }, 'value', note('4 values are')],
      [
        { rows: valueDates.map((valueDate) => ({ valueDate, metrics: [{ value: 1 }, { value: 2 }] })) },
        'value',
        note('2 values are'),
      ],
    ] as const) {
      await drawData(page, { dataset });
      await expect.poll(() => page.locator('.response-hint').allInnerTexts()).toEqual([text]);
      await page.locator('.response-chart').press('Home');
      expect(await page.locator('.response-reading').innerText()).toBe(`2024-01-01: ${label} 1`);
    }
  });
});
