import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { demoDatasetIds } from '../../simulator/src/demo-data.ts';
import { editorText, openTab, setEditorText, shownResponse, untilReady, useChromium } from './browser.ts';
import { bothStations, hashOf, onDatasetPage, openDemo, untilShown, WEATHER } from './dataset.ts';
import { openResponseTab } from './response.ts';

useChromium();

const back = (page: Page) => page.getByRole('link', { name: 'Show on the dataset page' });

const CO2 = demoDatasetIds.co2;

/** A time range of whole days. */
const daysOf = (from: string, to: string) => ({ start: from, stop: to });

/** A view, and changes of the variables of its operation. */
interface Case {
  readonly title: string;
  readonly view: string;
  readonly operation: string;
  /** The part of the page that shows the view; by default a chart. */
  readonly shown?: string;
  /** Each change with the view that it leads to. The page sends the variables of the last one. */
  readonly changes: readonly (readonly [change: object, view: string])[];
  /** Changes that the page does not draw. */
  readonly wrong?: readonly object[];
}

const seattle = '#asset=seattle-tacoma&metric=temp_max';
const newYork = '#asset=new-york-central-park&metric=temp_max';
/** The last 30 days, in the fragment of a view. */
const december = '&from=2015-12-02&to=2015-12-31';

const cases: readonly Case[] = [
  {
    title: 'earlier days of lines',
    view: `${seattle}&range=last-30-days&compare=year-before`,
    operation: 'CompareRanges',
    changes: [
      [{}, `${seattle}${december}&as=lines&compare=2014-12-02`],
      [{ second: daysOf('2015-12-01', '2015-12-30') }, `${seattle}${december}&as=lines&compare=2015-12-01`],
      [
        {
          assetIds: ['new-york-central-park'],
          first: daysOf('2015-03-01', '2015-03-31'),
          second: daysOf('2013-03-01', '2013-03-31'),
        },
        `${newYork}&from=2015-03-01&to=2015-03-31&as=lines&compare=2013-03-01`,
      ],
    ],
    // Days that are missing, of another number, not before the first, in the wrong order, or without an end.
    wrong: [
      { first: null },
      { second: daysOf('2014-12-03', '2014-12-31') },
      { second: daysOf('2015-12-03', '2016-01-01') },
      { first: daysOf('2015-12-31', '2015-12-30'), second: daysOf('2014-12-31', '2014-12-30') },
      { first: { start: '2015-12-02' }, second: { start: '2014-12-02' } },
      { timeRange: null },
    ],
  },
  {
    title: 'earlier days of quantiles',
    view: '#metric=temp_max&range=last-30-days&as=quantiles&compare=year-before',
    operation: 'CompareByDate',
    changes: [
      [{}, `#metric=temp_max${december}&as=quantiles&compare=2014-12-02`],
      [
        { metrics: ['wind'], second: daysOf('2015-12-01', '2015-12-30') },
        `#metric=wind${december}&as=quantiles&compare=2015-12-01`,
      ],
    ],
    wrong: [{ second: null }, { assetIds: null }],
  },
  {
    title: 'another dataset',
    view: `${seattle}&compare=dataset:${CO2}`,
    operation: 'CompareDatasets',
    changes: [
      [{ otherId: 'x'.repeat(200), timeRange: null }, `${seattle}&as=lines&compare=dataset%3A${'x'.repeat(200)}`],
      [
        { metrics: ['wind'], timeRange: daysOf('2013-01-01', '2013-12-31') },
        `#asset=seattle-tacoma&metric=wind&from=2013-01-01&to=2013-12-31&as=lines&compare=dataset%3A${CO2}`,
      ],
    ],
    wrong: [{ otherId: undefined }, { otherId: '' }, { otherId: 'x'.repeat(201) }, { otherId: 5 }, { id: '' }],
  },
  {
    title: 'the years of quantiles',
    view: '#metric=temp_max&as=quantiles&compare=years',
    operation: 'QuantilesByDate',
    changes: [
      [{ quantiles: [0.1, 0.5, 0.9] }, '#metric=temp_max&as=quantiles'],
      [
        { timeRange: daysOf('2013-01-01', '2015-12-31') },
        '#metric=temp_max&from=2013-01-01&to=2015-12-31&as=quantiles&compare=years',
      ],
    ],
    wrong: [{ assetIds: ['seattle-tacoma'] }, { quantiles: [0.4] }, { first: null }],
  },
  {
    title: 'a map, and heat maps of chosen assets',
    view: '#metric=temp_max&range=last-30-days&show=map',
    operation: 'PeriodMap',
    shown: '.response-map canvas',
    changes: [
      [{ every: 'WEEK' }, `#metric=temp_max${december}&show=map&every=week`],
      [{ hasPeriods: false, hasDates: true }, `#metric=temp_max${december}&show=map&every=date`],
      [{ hasPeriods: false, hasMeans: true }, `#metric=temp_max${december}&show=map&every=whole`],
      [{ assetIds: ['new-york-central-park'] }, `${newYork}${december}&as=lines&show=heat&every=day`],
      [
        { metrics: ['wind'], timeRange: daysOf('2015-01-01', '2015-12-31'), every: 'MONTH' },
        '#metric=wind&from=2015-01-01&to=2015-12-31&show=map&every=month',
      ],
    ],
    wrong: [
      { points: 100 },
      { hasDates: true },
      { hasPeriods: false },
      { metrics: 'wind' },
      { assetIds: 'seattle-tacoma' },
    ],
  },
];

async function untilViewShown(page: Page, shown?: string): Promise<void> {
  await (shown === undefined ? untilShown(page) : page.locator(shown).waitFor());
}

async function showQuery(page: Page, shown?: string): Promise<void> {
  await untilViewShown(page, shown);
  await page.getByRole('link', { name: 'Show query' }).click();
  await untilReady(page);
}

describe('The query of a dataset page, in GraphiQL', () => {
  onDatasetPage(
    'brings a change of its variables back to the page, if the page can draw it, and else says why',
    '#metric=wind',
    async ({ page, sent, endpoint }) => {
      await showQuery(page);
      const document = await editorText(page, 'operation.graphql');
      const variables = await editorText(page, 'variables.json');
      await setEditorText(page, 'operation.graphql', document.replace('rowCount', ''));
      await page.getByText('The dataset page does not draw this query.').waitFor();
      expect(await back(page).count()).toBe(0);
      await setEditorText(page, 'operation.graphql', `# mine\n${document.replaceAll('  ', '    ')}`);
      await back(page).waitFor();
      for (const wrong of ['{', '[]', '{}', '{"id": "a", "timeRange": {"start": "soon"}}', '{"id": "a", "other": 1}']) {
        await setEditorText(page, 'variables.json', wrong);
        await page.getByText('The dataset page does not draw these variables.').waitFor();
        await setEditorText(page, 'variables.json', variables);
        await back(page).waitFor();
      }
      await openTab(page, 'Metadata');
      expect(await back(page).count()).toBe(0);
      expect(await page.getByText('The dataset page does not draw').count()).toBe(0);
      await openTab(page, 'ReducedColumns');
      const timeRange = { start: '2015-01-01', stop: '2015-12-31T12:00:00+02:00' };
      const changed = { ...bothStations, metrics: ['temp_max', 'temp_min'], timeRange, points: 100 };
      const link = await back(page).elementHandle();
      // Without a pause in between: GraphiQL stores what is typed after one.
      await Promise.all([
        setEditorText(page, 'variables.json', JSON.stringify(changed)),
        link?.evaluate((element) => (element as HTMLElement).click()),
      ]);
      await untilShown(page);
      const view =
        '#asset=seattle-tacoma&asset=new-york-central-park&metric=temp_max&metric=temp_min&from=2015-01-01&to=2015-12-31&as=lines';
      expect(page.url()).toBe(new URL(`/datasets/${WEATHER}${view}`, endpoint).href);
      expect(await page.getByRole('combobox', { name: 'Time' }).inputValue()).toBe('2015');
      expect(await page.locator('summary', { hasText: 'Metrics' }).innerText()).toMatch(/^Metrics\s2 of 4$/);
      expect(await page.locator('.response-chart').getAttribute('aria-label')).toContain('Charts: temp_max, temp_min.');
      expect(sent).toContainEqual({
        name: 'ReducedColumns',
        variables: {
          ...bothStations,
          metrics: ['temp_max', 'temp_min'],
          timeRange: { start: '2015-01-01', stop: '2015-12-31' },
          points: 5000,
        },
      });
    },
  );

  it.each(cases)('brings back $title', async ({ view, operation, shown, changes, wrong = [] }) => {
    const { page, problems, sent, endpoint } = await openDemo(WEATHER, view);
    await showQuery(page, shown);
    expect(await editorText(page, 'operation.graphql')).toContain(`query ${operation}(`);
    const text = await editorText(page, 'variables.json');
    const variables = JSON.parse(text);
    for (const change of wrong) {
      await setEditorText(page, 'variables.json', JSON.stringify({ ...variables, ...change }));
      await page.getByText('The dataset page does not draw these variables.').waitFor();
      await setEditorText(page, 'variables.json', text);
      await back(page).waitFor();
    }
    for (const [change, changed] of changes) {
      await setEditorText(page, 'variables.json', JSON.stringify({ ...variables, ...change }));
      await expect.poll(() => back(page).getAttribute('href')).toBe(`/datasets/${WEATHER}${changed}`);
    }
    const [change, changed] = changes.at(-1) ?? [];
    await back(page).click();
    await untilViewShown(page, shown);
    expect(page.url()).toBe(new URL(`/datasets/${WEATHER}${changed}`, endpoint).href);
    expect(sent).toContainEqual({ name: operation, variables: { ...variables, ...change } });
    expect(problems).toEqual([]);
  });

  onDatasetPage('is one step of the history', '#asset=seattle-tacoma&as=quantiles', async ({ page }) => {
    await showQuery(page);
    await shownResponse(page);
    await openResponseTab(page, 'Table');
    await expect.poll(() => hashOf(page)).toContain('&show=table');
    await openResponseTab(page, 'JSON');
    await expect.poll(() => hashOf(page)).toContain('&show=json');
    await page.goBack();
    await untilShown(page);
    expect(hashOf(page)).toBe('#asset=seattle-tacoma&as=quantiles');
    // The quantiles come back by the link, too.
    await page.goForward();
    await untilReady(page);
    await back(page).click();
    await untilShown(page);
    expect(hashOf(page)).toBe(
      '#asset=seattle-tacoma&metric=precipitation&metric=temp_max&metric=temp_min&metric=wind&as=quantiles',
    );
    expect(await page.getByRole('checkbox', { name: 'Quantiles of all assets' }).isChecked()).toBe(true);
  });
});
