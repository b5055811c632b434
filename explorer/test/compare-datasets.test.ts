import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID } from '../../test/support/harness.ts';
import { useChromium } from './browser.ts';
import { hashOf, keyOf, onDatasetPage, openSignedIn, readings, untilShown, WEATHER } from './dataset.ts';
import { FIRST, SECOND } from './pixels.ts';

useChromium();

const CO2 = 'b83e5a17-9d42-4c6f-8a21-0f7c3d9e6b54';

describe('Another dataset', () => {
  onDatasetPage(
    'is chosen in the bar, is drawn over the same time, and is in the link over a reload',
    '#asset=seattle-tacoma&metric=temp_max&range=last-30-days',
    async ({ page, sent }) => {
      const compare = page.getByLabel('Compare', { exact: true });
      expect(await compare.getByRole('option').allInnerTexts()).toEqual([
        'Nothing',
        'Year over year',
        'The days before',
        'The same days a year before',
        'Earlier days …',
        'Mauna Loa CO2',
        'Iowa electricity by source',
        '1,000 fields, three years (generated)',
      ]);
      await compare.selectOption('Mauna Loa CO2');
      const variables = {
        id: WEATHER,
        otherId: CO2,
        assetIds: ['seattle-tacoma'],
        metrics: ['temp_max'],
        timeRange: { start: '2015-12-02', stop: '2015-12-31' },
      };
      await expect.poll(() => sent.at(-1)).toEqual({ name: 'CompareDatasets', variables });
      // The measurement of December is of its first day.
      const missing = 'There is nothing to compare: Mauna Loa CO2 has no values from 2015-12-02 to 2015-12-31.';
      await page.getByText(missing, { exact: true }).waitFor();
      await page.getByLabel('Time', { exact: true }).selectOption('All');
      const note =
        'Medians of 1 of 2 assets of Daily weather, Seattle and New York, and of Mauna Loa CO2 from 2012-01-01 to 2015-12-31. ' +
        'They have no metric of the same name: each has its own charts.';
      await page.getByText(note, { exact: true }).waitFor();
      expect(hashOf(page)).toBe(`#asset=seattle-tacoma&metric=temp_max&compare=dataset%3A${CO2}`);
      await page.reload();
      await page.getByText(note, { exact: true }).waitFor();
      await untilShown(page);
      expect(await keyOf(page)).toEqual(['Daily weather, Seattle and New York', 'Mauna Loa CO2']);
      const samples = page.locator('.dataset-key .response-sample');
      expect(await samples.evaluateAll((all) => all.map((each) => getComputedStyle(each).borderTopColor))).toEqual(
        [FIRST, SECOND].map((colour) => `rgb(${colour.join(', ')})`),
      );
      expect(await readings(page, ['Home'])).toEqual([
        '2012-01-01: Daily weather, Seattle and New York: temp_max 12.8, ' +
          'Mauna Loa CO2: co2 393.07, Mauna Loa CO2: co2_adjusted 393.02',
      ]);
      await page.goBack();
      await page.getByText(missing, { exact: true }).waitFor();
    },
  );

  it('has its metrics of the same name in the charts of the first, by a REST call for each', async () => {
    const other = 'other-fields';
    const assets = [0, 1, 2].map((index) => assetResult(`asset-${index}`));
    const metricsOf = (day: number) => Object.entries({ moisture: -day, salinity: day });
    const lower = assets.map((asset) => ({
      ...asset,
      results: asset.results.map(({ value_date }, day) => ({
        value_date,
        metrics: metricsOf(day).map(([name, value]) => ({ name, value })),
      })),
    }));
    const datasets = [
      { metadata: { id: DATASET_ID, name: 'Soil' }, results: { assets } },
      { metadata: { id: other, name: 'Other' }, results: { assets: lower } },
    ];
    const { page, bed, sent } = await openSignedIn(datasets, `#as=quantiles&compare=dataset:${other}`);
    expect(sent.find(({ name }) => name === 'CompareDatasets')?.variables).toEqual({
      id: DATASET_ID,
      otherId: other,
      metrics: ['moisture', 'temperature'],
    });
    expect(await page.locator('.response-hint').innerText()).toBe(`Medians of Soil, and of ${other}.`);
    expect(await readings(page, ['End'])).toEqual([
      `2024-01-03: Soil: moisture 2.5, ${other}: moisture -2, Soil: temperature -3.5`,
    ]);
    // The metadata, and the results for the outline, the statistics and both datasets.
    await page.getByRole('rowheader', { name: 'moisture' }).waitFor();
    expect(bed.calls()).toHaveLength(5);
  });
});
