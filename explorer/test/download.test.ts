import { readFile } from 'node:fs/promises';
import { describe, expect } from 'vitest';
import { inBrowser, openTab, runOperation, useChromium } from './browser.ts';

useChromium();

describe('The example Download', () => {
  inBrowser('gives a link that saves the file by a click', async ({ page }) => {
    await openTab(page, 'Download');
    await runOperation(page);
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download Earthquakes of one week' }).click();
    const download = await saving;
    expect(download.suggestedFilename()).toBe('earthquakes.geojson');
    expect((await readFile(await download.path())).equals(await readFile('simulator/demo-data/earthquakes.json'))).toBe(
      true,
    );
  });
});
