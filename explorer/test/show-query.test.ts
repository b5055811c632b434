import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { editorText, openTab, setEditorText, shownResponse, untilReady, useChromium } from './browser.ts';
import { bothStations, openDemo, untilShown, WEATHER } from './dataset.ts';
import { openResponseTab } from './response.ts';

useChromium();

const back = (page: Page) => page.getByRole('link', { name: 'Show on the dataset page' });

async function showQuery(page: Page): Promise<void> {
  await untilShown(page);
  await page.getByRole('link', { name: 'Show query' }).click();
  await untilReady(page);
}

describe('The query of a dataset page, in GraphiQL', () => {
  it('brings a change of its variables back to the page', async () => {
    const { page, problems, sent, endpoint } = await openDemo(WEATHER, '#metric=wind');
    await showQuery(page);
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
    expect(await page.getByLabel('From').inputValue()).toBe('2015-01-01');
    expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe('2015-12-31');
    expect(await page.locator('summary', { hasText: 'Metrics' }).innerText()).toMatch(/^Metrics\s2 of 4$/);
    expect(await page.locator('.response-chart').getAttribute('aria-label')).toContain('Charts: temp_max, temp_min.');
    expect(sent).toContainEqual({
      name: 'ReducedColumns',
      variables: {
        ...bothStations,
        metrics: ['temp_max', 'temp_min'],
        timeRange: { start: '2015-01-01T00:00:00Z', stop: '2015-12-31T23:59:59.999Z' },
        points: 5000,
      },
    });
    expect(problems).toEqual([]);
  });

  it('is one step of the history: Back leads to the view of the page', async () => {
    const { page, problems } = await openDemo(WEATHER, '#asset=seattle-tacoma&as=band');
    await showQuery(page);
    await shownResponse(page);
    await openResponseTab(page, 'Table');
    await expect.poll(() => new URL(page.url()).hash).toContain('&show=table');
    await openResponseTab(page, 'JSON');
    await expect.poll(() => new URL(page.url()).hash).toContain('&show=json');
    await page.goBack();
    await untilShown(page);
    expect(new URL(page.url()).hash).toBe('#asset=seattle-tacoma&as=band');
    // The band comes back by the link, too.
    await page.goForward();
    await untilReady(page);
    await back(page).click();
    await untilShown(page);
    expect(new URL(page.url()).hash).toBe(
      '#asset=seattle-tacoma&metric=precipitation&metric=temp_max&metric=temp_min&metric=wind&as=band',
    );
    expect(await page.getByRole('checkbox', { name: 'Band of all assets' }).isChecked()).toBe(true);
    expect(problems).toEqual([]);
  });

  it('has no link to the page once the page cannot draw it, and says why', async () => {
    const { page, problems } = await openDemo();
    await showQuery(page);
    const document = await editorText(page, 'operation.graphql');
    const variables = await editorText(page, 'variables.json');
    await setEditorText(page, 'operation.graphql', document.replace('rowCount', ''));
    await page.getByText('The dataset page does not draw this query.').waitFor();
    expect(await back(page).count()).toBe(0);
    await setEditorText(page, 'operation.graphql', `# mine\n${document.replaceAll('  ', '    ')}`);
    await back(page).waitFor();
    for (const wrong of [
      '{',
      '[]',
      '{}',
      '{"id": "a", "timeRange": {"start": "soon"}}',
      '{"id": "a", "other": 1}',
      '{"id": "a", "quantiles": [0.5]}',
    ]) {
      await setEditorText(page, 'variables.json', wrong);
      await page.getByText('The dataset page does not draw these variables.').waitFor();
      await setEditorText(page, 'variables.json', variables);
      await back(page).waitFor();
    }
    await openTab(page, 'Metadata');
    expect(await back(page).count()).toBe(0);
    expect(await page.getByText('The dataset page does not draw').count()).toBe(0);
    expect(problems).toEqual([]);
  });
});
