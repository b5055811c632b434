import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../../test/support/harness.ts';
import { useChromium } from './browser.ts';
import { keyOf, onDatasetPage, openSignedIn, readings, soilOf, untilShown, WEATHER } from './dataset.ts';
import { savedCsv, savedTexts } from './response.ts';

useChromium();

describe('Year over year', () => {
  onDatasetPage(
    'draws a whole line for each year over the same days, the latest above paler ones',
    '#asset=seattle-tacoma&metric=temp_max&compare=years',
    async ({ page, sent }) => {
      const variables = { id: WEATHER, assetIds: ['seattle-tacoma'], metrics: ['temp_max'], points: 20_000 };
      expect(sent).toContainEqual({ name: 'ReducedColumns', variables });
      expect(await keyOf(page)).toEqual(['2015', '2014', '2013', '2012']);
      // The fifty-ninth day is 28 February.
      const read = await readings(page, [
        'Home',
        ...Array(5).fill('Shift+ArrowRight'),
        ...Array(10).fill('ArrowRight'),
        'End',
      ]);
      expect(read).toEqual(
        expect.arrayContaining([
          '1 Jan: 2015 5.6, 2014 7.2, 2013 5, 2012 12.8',
          '28 Feb: 2015 12.2, 2014 14.4, 2013 11.7, 2012 6.7',
          '29 Feb: 2012 5',
          '1 Mar: 2015 11.1, 2014 7.2, 2013 15, 2012 6.1',
          '31 Dec: 2015 5.6, 2014 3.3, 2013 8.3, 2012 3.3',
        ]),
      );
      const { texts, drawing } = await savedTexts(page);
      const lines = [...drawing.matchAll(/<path d="(M[^"]*)"([^>]* ecmeta_series_index="2"[^>]*)>/g)];
      // A line that is not broken begins once, also between 28 February and 1 March.
      expect(lines.map(([, path = '']) => path.match(/M/g)?.length)).toEqual([1, 1, 1, 1]);
      const widths = lines.map(([, , style = '']) => /stroke-width="([\d.]+)"/.exec(style)?.[1] ?? '1');
      const opacities = lines.map(([, , style = '']) => /stroke-opacity="([\d.]+)"/.exec(style)?.[1] ?? '1');
      expect([widths, opacities]).toEqual([
        ['1.5', '1.5', '1.5', '2.5'],
        ['0.5', '0.5', '0.5', '1'],
      ]);
      expect(texts).toEqual(expect.arrayContaining(['2015', '2012', 'Jan', 'Jul']));
      expect(texts).not.toContain('2000');
      expect((await savedCsv(page)).split('\r\n').slice(0, 2)).toEqual([
        'asset_id,asset_name,asset_version,value_date_utc,temp_max',
        'seattle-tacoma,Seattle-Tacoma,,2015-01-01,5.6',
      ]);
      await page.getByRole('button', { name: 'value_date' }).click();
      const first = page.getByRole('row', { name: /seattle/ }).first();
      await expect.poll(() => first.innerText()).toContain('2012-01-01');
      await page.getByPlaceholder('name or id').fill('2012');
      await page.getByText('366 of 1461 rows').waitFor();
    },
  );

  it('says why there is nothing to compare', async () => {
    const { page } = await openSignedIn([soilOf(1)], '#compare=years');
    const reason = 'Years of Field asset-0. There is nothing to compare: all values are of 2024.';
    await page.getByText(reason, { exact: true }).waitFor();
    expect(await keyOf(page)).toEqual(['2024']);
  });

  it('has the latest ten years of the median of many assets, by one REST call', async () => {
    const years = Array.from({ length: 12 }, (_, index) => 2010 + index);
    const assets = Array.from({ length: 21 }, (_, asset) => ({
      asset_id: `asset-${asset}`,
      asset_name: `Field ${asset}`,
      results: years.flatMap((year) =>
        // Without a value in March of one year, and in the first one not at all.
        ['03-01', '09-01'].map((day) => ({
          value_date: `${year}-${day}`,
          metrics: year === 2020 && day === '03-01' ? [] : [{ name: 'm', value: year === 2010 ? null : year + asset }],
        })),
      ),
    }));
    const metadata = { id: DATASET_ID, name: 'Yields' };
    const { page, bed, sent } = await openSignedIn([{ metadata, results: { assets } }], '#compare=years');
    await page.getByText('Years of the median of all assets. The latest 10 of 11 years.', { exact: true }).waitFor();
    const variables = { id: DATASET_ID, metrics: ['m'], quantiles: [0.5] };
    expect(sent).toContainEqual({ name: 'QuantilesByDate', variables });
    // The metadata once, and the results for the outline, the years and the statistics.
    await page.getByRole('rowheader', { name: 'm' }).waitFor();
    expect(bed.calls()).toHaveLength(4);
    const valuesOf = (missing: number, asset = 10) =>
      years
        .slice(2)
        .reverse()
        .map((year) => `${year} ${year === missing ? 'no value' : year + asset}`)
        .join(', ');
    expect(await readings(page, ['Home', 'End'])).toEqual([`1 Mar: ${valuesOf(2020)}`, `1 Sep: ${valuesOf(0)}`]);
    // A chosen asset has its own years, also where all are drawn as quantiles.
    await page.goto(page.url().replace('#', '#asset=asset-20&as=quantiles&'));
    await page.getByText('Years of Field 20. The latest 10 of 11 years.', { exact: true }).waitFor();
    await untilShown(page);
    expect(await readings(page, ['End'])).toEqual([`1 Sep: ${valuesOf(0, 20)}`]);
  });
});
