import { describe, expect } from 'vitest';
import { queryAt } from '../../test/support/harness.ts';
import { editorText, inNewTab, useChromium } from './browser.ts';
import { boxOf, daysFrom, drawData, drawTemperatures, showData, tooltipAt } from './response.ts';

useChromium();

/** Lines that are flat: the value of asset n is n and a third. */
function flatLines(count: number, metrics: readonly string[]) {
  const valueDates = daysFrom('2024-01-01', 5);
  const nodes = Array.from({ length: count }, (_, asset) => ({
    asset: { name: `Field ${asset}` },
    columns: { valueDates, metrics: metrics.map((name) => ({ name, values: valueDates.map(() => asset + 1 / 3) })) },
  }));
  return { dataset: { nodes } };
}

describe('The values at the pointer', () => {
  inNewTab('are those of the response at one date', async ({ page, endpoint }) => {
    await drawTemperatures(page);
    const variables = JSON.parse(await editorText(page, 'variables.json'));
    const document = await editorText(page, 'operation.graphql');
    const { body } = await queryAt(endpoint, document, { variables, token: 'demo-token' });
    const { valueDates, metrics } = body.data.dataset.results.series.nodes[0].columns;
    const { width } = await boxOf(page, '.response-chart');
    const months = new Set<string>();
    for (const part of [0.2, 0.5, 0.8]) {
      const [date = '', ...lines] = (await tooltipAt(page, width * part, 100)).lines;
      const [highest, lowest] = metrics.map(({ values }: { values: number[] }) => values[valueDates.indexOf(date)]);
      expect(lines).toEqual(['temp_max', `Seattle-Tacoma ${highest}`, 'temp_min', `Seattle-Tacoma ${lowest}`]);
      months.add(date.slice(0, 7));
    }
    expect(months.size).toBe(3);
  });

  inNewTab('are none under a date of another chart, and say what is missing', async ({ page }) => {
    const node = (name: string, metric: string, days: number[], values: (number | null)[]) => ({
      asset: { name },
      columns: { valueDates: days.map((day) => `2024-01-0${day}`), metrics: [{ name: metric, values }] },
    });
    const nodes = [
      node('A', 'p', [1, 5], [-1, -1]),
      node('B', 'p', [1, 5], [null, null]),
      node('C', 'p', [1, 5], [0, 0]),
      node('D', 'q', [2, 4, 6], [1, 2, 3]),
    ];
    await drawData(page, { dataset: { nodes } });
    const { width, height } = await boxOf(page, '.response-chart');
    const { lines } = await tooltipAt(page, width * 0.15, height / 3);
    expect(lines).toEqual(['2024-01-01', 'p', 'A -1', 'C 0', 'B no value']);
  });

  inNewTab('begin with the lines nearest to it, with six digits', async ({ page }) => {
    await showData(page, flatLines(40, ['m']));
    await page.getByRole('button', { name: 'All', exact: true }).click();
    await expect.poll(() => page.locator('.response-count').innerText()).toBe('40 of 40');
    await page.locator('.response-chart').scrollIntoViewIfNeeded();
    const { width } = await boxOf(page, '.response-chart');
    // The chart begins 28 pixels from the top, is 300 pixels high, and its axis goes from 0 to 40.
    const { lines } = await tooltipAt(page, width / 2, 28 + 300 * (1 - 20.5 / 40));
    expect(lines).toEqual([
      '2024-01-03',
      'm',
      ...[20, 21, 19, 22, 18, 23, 17, 24, 16, 25, 15, 26].map((asset) => `Field ${asset} ${asset}.3333`),
      'and 28 more',
    ]);
  });

  inNewTab('show the same assets in the other charts, within what is visible of the pane', async ({ page }) => {
    await drawData(page, flatLines(20, ['a', 'b', 'c', 'd']));
    const chart = await boxOf(page, '.response-chart');
    const pane = await boxOf(page, '.response');
    const end = pane.y + pane.height;
    expect(end).toBeLessThan(chart.y + chart.height);
    const { lines, box } = await tooltipAt(page, chart.width - 40, end - 10 - chart.y);
    const names = lines.filter((line) => line.startsWith('Field')).map((line) => line.replace(/ [\d.]+$/, ''));
    expect([names.length, new Set(names).size]).toEqual([12, 3]);
    expect(lines.filter((line) => line === 'and 17 more')).toHaveLength(4);
    expect(box.y).toBeGreaterThanOrEqual(pane.y);
    expect(box.y + box.height).toBeLessThanOrEqual(end);
    expect(box.x + box.width).toBeLessThanOrEqual(pane.x + pane.width);
  });
});
