import { describe, expect } from 'vitest';
import { inNewTab, useChromium } from './browser.ts';
import { drawTemperatures, showResponse } from './response.ts';

useChromium();

/** A call that ended well. */
const call = {
  operation: 'getDatasetMetadata',
  datasetId: 'd',
  filter: null,
  source: 'service',
  resends: 0,
  status: 200,
  label: null,
  failure: null,
  milliseconds: 3.4,
  bytes: 412,
};

describe('The REST calls of a response', () => {
  inNewTab('are said beside its size and time, and listed when that is opened', async ({ page }) => {
    await drawTemperatures(page);
    const summary = page.locator('.response-calls summary');
    expect(await summary.innerText()).toMatch(/^2 REST calls, \d+\.\d kB, \d+ ms$/);
    const table = page.getByRole('table', { name: 'REST calls' });
    expect(await table.isVisible()).toBe(false);
    await summary.focus();
    await page.keyboard.press('Enter');
    const rows = await table.getByRole('row').allInnerTexts();
    const id = '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31';
    expect(rows.map((row) => row.split('\t'))).toEqual([
      ['Call', 'Filter', 'Response', 'Size', 'Time'],
      [`getDatasetMetadata ${id}`, '', '200', expect.stringMatching(/^\d+ B$/), expect.stringMatching(/^\d+ ms$/)],
      [
        `getDatasetResults ${id}`,
        '1 asset, from 2015-01-01T00:00:00Z, to 2015-12-31T23:59:59.999Z',
        '200',
        expect.stringMatching(/^\d+\.\d kB$/),
        expect.stringMatching(/^\d+ ms$/),
      ],
    ]);
  });

  inNewTab('say how each of them ended, and are not said if the response does not list them', async ({ page }) => {
    const calls = [
      { ...call, status: 503, failure: 'httpError', bytes: 0 },
      { ...call, resends: 1 },
      { ...call, status: 404, label: 'NOT_FOUND', failure: 'httpError' },
      { ...call, status: null, failure: 'timeout' },
      { ...call, status: 200, failure: 'cancelled' },
      { ...call, source: 'cache', bytes: 0 },
      { ...call, source: 'stale', bytes: 0 },
      { ...call, source: 'joined', bytes: 0 },
      { ...call, status: null, milliseconds: null, bytes: null },
    ];
    const restCalls = { count: 1, bytes: 3_400_000, milliseconds: 1234, calls };
    await showResponse(page, { data: { dataset: { name: 'D' } }, extensions: { restCalls } });
    const summary = page.locator('.response-calls summary');
    expect(await summary.innerText()).toBe('1 REST call, 3.4 MB, 1.2 s');
    await summary.click();
    expect(await page.locator('.response-calls td:nth-child(3)').allInnerTexts()).toEqual([
      '503',
      '200, retry',
      '404 NOT_FOUND',
      'timeout',
      '200 cancelled',
      '200 from the cache',
      '200 from the cache, because the service fails',
      '200 by the call of another request',
      'not complete',
    ]);
    await showResponse(page, { data: { dataset: { name: 'D' } }, extensions: { restCalls: 'of another server' } });
    expect(await page.locator('.response-calls').count()).toBe(0);
  });
});
