import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../../test/support/harness.ts';
import { editorText, untilReady, useChromium } from './browser.ts';
import { hashOf, keyOf, onDatasetPage, openSignedIn, readings, soilOf, untilShown, WEATHER } from './dataset.ts';
import { tooltipAt } from './response.ts';

useChromium();

const december = '#asset=seattle-tacoma&metric=temp_max&range=last-30-days';

/** The variables of a comparison of Seattle's December. */
function decemberOver(start: string, stop: string) {
  return {
    id: WEATHER,
    assetIds: ['seattle-tacoma'],
    metrics: ['temp_max'],
    first: { start: '2015-12-02', stop: '2015-12-31' },
    second: { start, stop },
    points: 5000,
  };
}

describe('Earlier days', () => {
  onDatasetPage(
    'are dashed over the days on the screen, with both dates and their values, by the operation that GraphiQL opens',
    `${december}&compare=year-before`,
    async ({ page, sent }) => {
      const variables = decemberOver('2014-12-02', '2014-12-31');
      expect(sent).toContainEqual({ name: 'CompareRanges', variables });
      expect(await keyOf(page)).toEqual(['Seattle-Tacoma', 'Seattle-Tacoma, earlier']);
      const samples = page.locator('.dataset-key .response-sample');
      expect(await samples.evaluateAll((all) => all.map((each) => getComputedStyle(each).borderTopStyle))).toEqual([
        'solid',
        'dashed',
      ]);
      expect(await page.locator('.response-hint').allInnerTexts()).toEqual([
        'Dashed: the earlier days, 2014-12-02 to 2014-12-31, over 2015-12-02 to 2015-12-31.',
      ]);
      expect(await readings(page, ['Home', 'End'])).toEqual([
        '2015-12-02, earlier 2014-12-02: Seattle-Tacoma 10.6, Seattle-Tacoma, earlier 5.6',
        '2015-12-31, earlier 2014-12-31: Seattle-Tacoma 5.6, Seattle-Tacoma, earlier 3.3',
      ]);
      const [dates, ...values] = (await tooltipAt(page, 66, 100)).lines;
      expect(dates).toBe('2015-12-02, earlier 2014-12-02');
      expect(values.toSorted()).toEqual(['Seattle-Tacoma 10.6', 'Seattle-Tacoma, earlier 5.6', 'temp_max']);
      await page.getByRole('link', { name: 'Show query' }).click();
      await untilReady(page);
      expect(await editorText(page, 'operation.graphql')).toContain('query CompareRanges');
      expect(JSON.parse(await editorText(page, 'variables.json'))).toEqual(variables);
    },
  );

  onDatasetPage(
    'are chosen in the bar, are in the link over a reload, and are left by Back',
    december,
    async ({ page, sent }) => {
      const compare = page.getByLabel('Compare', { exact: true });
      await compare.selectOption('The days before');
      await expect.poll(() => sent.at(-1)?.variables).toEqual(decemberOver('2015-11-02', '2015-12-01'));
      await compare.selectOption('Earlier days …');
      await page.getByLabel('Starting').fill('2013-12-02');
      await page.getByRole('button', { name: 'Compare' }).click();
      await expect.poll(() => hashOf(page)).toBe(`${december}&compare=2013-12-02`);
      await page.reload();
      await untilShown(page);
      expect(await page.getByLabel('Starting').inputValue()).toBe('2013-12-02');
      expect(await readings(page, ['Home'])).toEqual([
        '2015-12-02, earlier 2013-12-02: Seattle-Tacoma 10.6, Seattle-Tacoma, earlier 7.8',
      ]);
      for (const before of ['before', '']) {
        await page.goBack();
        await expect.poll(() => compare.inputValue()).toBe(before);
      }
    },
  );

  const reasons = {
    'from=2012-01-01&to=2012-01-31&compare=before':
      'There is nothing to compare: the earlier days, 2011-12-01 to 2011-12-31, have no values.',
    'compare=before': 'Choose a time with a first and a last day: an earlier time of the same length is drawn over it.',
    'range=last-30-days&compare=2015-12-02': 'The earlier days must begin before 2015-12-02.',
  };

  onDatasetPage('are left out where there are none, and the page says why', '', async ({ page }) => {
    for (const [view, reason] of Object.entries(reasons)) {
      await page.goto(page.url().replace(/(#.*)?$/, `#asset=seattle-tacoma&metric=temp_max&${view}`));
      await page.getByText(reason, { exact: true }).waitFor();
      await untilShown(page);
      expect(await page.locator('.response-hint').count()).toBe(1);
      expect(await keyOf(page)).toEqual(['Seattle-Tacoma']);
    }
  });

  it('have the median of many assets, by a REST call for each time', async () => {
    const fragment = '#metric=moisture&from=2024-01-02&to=2024-01-03&compare=2024-01-01';
    const { page, bed, sent } = await openSignedIn([soilOf(21)], fragment);
    expect(sent.find(({ name }) => name === 'CompareByDate')?.variables).toEqual({
      id: DATASET_ID,
      metrics: ['moisture'],
      first: { start: '2024-01-02', stop: '2024-01-03' },
      second: { start: '2024-01-01', stop: '2024-01-02' },
    });
    expect(await keyOf(page)).toEqual(['All assets: median', 'All assets: median, earlier']);
    // The same date has a place of its own in each time.
    expect(await readings(page, ['Home', 'End'])).toEqual([
      '2024-01-02, earlier 2024-01-01: median 11.5, median, earlier 10.5',
      '2024-01-03, earlier 2024-01-02: median 12.5, median, earlier 11.5',
    ]);
    // The metadata, and the results for the outline, the statistics and both times.
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    expect(bed.calls()).toHaveLength(5);
  });
});
