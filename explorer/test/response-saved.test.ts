import { PNG } from 'pngjs';
import { describe, expect } from 'vitest';
import { queryAt } from '../../test/support/harness.ts';
import { editorText, inBrowser, useChromium } from './browser.ts';
import { FIRST, pixelsOf, SECOND } from './pixels.ts';
import { drawTemperatures, openResponseTab, saved, showData } from './response.ts';

useChromium();

/** Twenty-four assets with long names, one metric and thirty days. */
function manyAssets(count = 24) {
  const valueDates = Array.from({ length: 30 }, (_, day) =>
    new Date(Date.UTC(2024, 0, 1 + day)).toISOString().slice(0, 10),
  );
  const nodes = Array.from({ length: count }, (_, asset) => ({
    asset: { assetId: `asset-${asset}`, name: `Field with a rather long name, number ${asset}` },
    columns: { valueDates, metrics: [{ name: 'moisture', values: valueDates.map((_, day) => asset + Math.sin(day)) }] },
  }));
  return { dataset: { name: 'Fields', results: { series: { nodes } } } };
}

describe('What the pane saves', () => {
  inBrowser('as PNG: the charts with title and legend, each above the lines', async ({ page }) => {
    await showData(page, manyAssets());
    await page.locator('.response-chart canvas').waitFor();
    const { name, bytes } = await saved(page, 'Save as PNG');
    expect(name).toBe('fields.png');
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

  inBrowser('as SVG: a drawing with the names of the drawn lines, and no others', async ({ page }) => {
    await showData(page, manyAssets(3));
    await page.locator('.response-chart canvas').waitFor();
    await page.getByRole('button', { name: 'Field with a rather long name, number 1', exact: true }).click();
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('2 of 3');
    await expect.poll(() => page.locator('.response-chart').getAttribute('aria-label')).not.toContain('number 1');
    const { name, bytes } = await saved(page, 'Save as SVG');
    expect(name).toBe('fields.svg');
    const drawing = await page.evaluate((text) => {
      const { documentElement } = new DOMParser().parseFromString(text, 'image/svg+xml');
      return {
        root: documentElement.tagName,
        texts: [...documentElement.querySelectorAll('text')].map(({ textContent }) => textContent ?? ''),
        strokes: [...documentElement.querySelectorAll('path')].map((path) => path.getAttribute('stroke')),
      };
    }, bytes.toString());
    expect(drawing.root).toBe('svg');
    expect(drawing.texts).toEqual(expect.arrayContaining(['Fields', 'moisture']));
    expect(drawing.texts.filter((text) => text.startsWith('Field with'))).toEqual([
      'Field with a rather long name, number 0',
      'Field with a rather long name, number 2',
    ]);
    expect(drawing.texts.join(' ')).toMatch(/\bJan\b/);
    // Each asset keeps its colour.
    expect(drawing.strokes).toContain('#d55e00');
    expect(drawing.strokes).toContain('#009e73');
    expect(drawing.strokes).not.toContain('#0072b2');
  });

  inBrowser('as CSV: the values of the response, in the layout of `ask --csv`', async ({ page, endpoint }) => {
    await drawTemperatures(page);
    const [document, variables] = [
      await editorText(page, 'operation.graphql'),
      await editorText(page, 'variables.json'),
    ];
    const { body } = await queryAt(endpoint, document, { variables: JSON.parse(variables), token: 'demo-token' });
    const { valueDates, metrics } = body.data.dataset.results.series.nodes[0].columns;
    await openResponseTab(page, 'Table');
    const { name, bytes } = await saved(page, 'Save as CSV');
    expect(name).toBe('daily-weather-seattle-and-new-york-seattle-tacoma.csv');
    const lines = valueDates.map(
      (date: string, row: number) =>
        `seattle-tacoma,Seattle-Tacoma,,${date},${metrics[0].values[row]},${metrics[1].values[row]}`,
    );
    expect(bytes.toString()).toBe(
      ['asset_id,asset_name,asset_version,value_date_utc,temp_max,temp_min', ...lines, ''].join('\r\n'),
    );
  });

  inBrowser('as JSON: the response, byte for byte', async ({ page }) => {
    const body =
      '{"data": {"dataset":{"name":"D","big":"9007199254740993","n":[1.0,1e3,-0.50, 12345678901234567890]}}}\n';
    await page.route('**/graphql', (route) => route.fulfill({ body, contentType: 'application/json' }));
    await page.getByRole('button', { name: /^Execute query/ }).click();
    const { name, bytes } = await saved(page, 'Save as JSON');
    expect(name).toBe('response.json');
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
