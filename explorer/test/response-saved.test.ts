import { PNG } from 'pngjs';
import { describe, expect } from 'vitest';
import { editorText, inNewTab, useChromium } from './browser.ts';
import { FIRST, pixelsOf, SECOND } from './pixels.ts';
import { daysFrom, drawData, saved, savedTexts, showResponse } from './response.ts';

useChromium();

/** Assets with long names, one metric and thirty days. */
function manyAssets(count: number) {
  const valueDates = daysFrom('2024-01-01', 30);
  const nodes = Array.from({ length: count }, (_, asset) => ({
    asset: { assetId: `asset-${asset}`, name: `Field with a rather long name, number ${asset}` },
    columns: { valueDates, metrics: [{ name: 'moisture', values: valueDates.map((_, day) => asset + Math.sin(day)) }] },
  }));
  return { dataset: { name: 'Fields', results: { series: { nodes } } } };
}

describe('What the pane saves', () => {
  inNewTab('as PNG: the charts with title and legend, each above the lines', async ({ page }) => {
    await drawData(page, manyAssets(24));
    const { name, bytes } = await saved(page, 'Save as PNG');
    expect(name).toMatch(/^fields-line-chart-moisture-2024-01-01-2024-01-30-[0-9a-f]{8}\.png$/);
    const picture = PNG.sync.read(bytes);
    expect(picture.width).toBe(2400);
    expect([...picture.data.subarray(0, 4)]).toEqual([255, 255, 255, 255]);
    const samples = pixelsOf(picture, FIRST);
    // Twenty names in rows of three: the chart begins below the seventh row, at twice 44 + 7 * 22 pixels.
    const legend = samples.filter(({ y }) => y < 2 * (44 + 7 * 22));
    expect(legend.length).toBeGreaterThan(50);
    expect(samples.length - legend.length).toBeGreaterThan(500);
    expect(pixelsOf(picture, SECOND).length).toBeGreaterThan(500);
  });

  inNewTab('as SVG: a drawing with the names of the drawn lines, and no others', async ({ page }) => {
    await drawData(page, manyAssets(3));
    await page.getByRole('button', { name: 'Field with a rather long name, number 1', exact: true }).click();
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('2 of 3');
    await expect.poll(() => page.locator('.response-chart').getAttribute('aria-label')).not.toContain('number 1');
    const { name, texts, drawing } = await savedTexts(page);
    expect(name).toMatch(/^fields-line-chart-moisture-2024-01-01-2024-01-30-[0-9a-f]{8}\.svg$/);
    expect(texts).toEqual(expect.arrayContaining(['Fields', 'moisture']));
    expect(texts.filter((text) => text.startsWith('Field with'))).toEqual([
      'Field with a rather long name, number 0',
      'Field with a rather long name, number 2',
    ]);
    expect(texts.join(' ')).toMatch(/\bJan\b/);
    // Each asset keeps its colour.
    const strokes = ['#d55e00', '#0072b2', '#009e73'].map((colour) => drawing.includes(`stroke="${colour}"`));
    expect(strokes).toEqual([true, false, true]);
  });

  inNewTab('as JSON: the response, byte for byte', async ({ page }) => {
    const body =
      '{"data": {"dataset":{"name":"D","big":"9007199254740993","n":[1.0,1e3,-0.50, 12345678901234567890]}}}\n';
    await showResponse(page, body);
    const { name, bytes } = await saved(page, 'Save as JSON');
    expect(name).toMatch(/^response-[0-9a-f]{8}\.json$/);
    expect(bytes.toString()).toBe(body);
    // The text has line breaks for reading; its numbers keep every digit.
    await expect
      .poll(() => editorText(page, 'received.json'))
      .toBe(
        [
          '{',
          '  "data": {',
          '    "dataset": {',
          '      "name": "D",',
          '      "big": "9007199254740993",',
          '      "n": [1.0, 1e3, -0.50, 12345678901234567890]',
          '    }',
          '  }',
          '}',
        ].join('\n'),
      );
    await page.getByRole('button', { name: 'As received' }).click();
    await expect.poll(() => editorText(page, 'received.json')).toBe(body);
  });
});
