import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { queryAt } from '../../test/support/harness.ts';
import {
  editorText,
  inBrowser,
  inNewTab,
  newPage,
  openTab,
  runOperation,
  shownResponse,
  startDemo,
  tabNames,
  untilDrawn,
  useChromium,
} from './browser.ts';
import { readings } from './dataset.ts';
import { drawTemperatures } from './response.ts';

useChromium();

const TOKEN = 'demo-token';

const examples = ['Columns', 'Metadata', 'Rows', 'OneAsset', 'Periods', 'ByDate', 'Download', 'SeveralDatasets'];

/** A response without download tickets, which differ for each response. */
function withoutTickets(response: unknown): unknown {
  return JSON.parse(JSON.stringify(response).replaceAll(/(?<=\/download\/)[\w.-]+(?=")/g, 'TICKET'));
}

describe('GraphiQL', () => {
  inBrowser(
    'opens with the examples and the chart of the first one, and shows the schema’s documentation',
    async ({ page }) => {
      expect(await tabNames(page)).toEqual(examples);
      expect(await page.getByLabel('Bearer token').inputValue()).toBe(TOKEN);
      await untilDrawn(page);
      expect(JSON.stringify(await shownResponse(page))).toContain('"Seattle-Tacoma"');
      await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
      await page.getByRole('link', { name: 'Query', exact: true }).click();
      await page.getByRole('link', { name: 'Dataset', exact: true }).first().click();
      expect(await page.locator('.graphiql-plugin').innerText()).toContain('A dataset of the platform.');
    },
  );

  it('draws its first chart soon after it is opened', async () => {
    const endpoint = await startDemo();
    const { page } = await newPage(endpoint.origin, { isAlone: true });
    const began = performance.now();
    await page.goto(new URL('/graphiql', endpoint).href);
    await untilDrawn(page);
    // A quiet machine needs a small part of it.
    expect(performance.now() - began).toBeLessThan(8000);
  });

  inBrowser('runs each example, and shows the response of the endpoint', async ({ page, endpoint }) => {
    for (const name of examples) {
      await openTab(page, name);
      const { extensions, ...shown } = await runOperation(page);
      expect(extensions).toMatchObject({ restCalls: { calls: expect.any(Array) } });
      const variables = JSON.parse(await editorText(page, 'variables.json'));
      const direct = await queryAt(endpoint, await editorText(page, 'operation.graphql'), { variables, token: TOKEN });
      expect(direct.body).not.toHaveProperty('errors');
      expect(withoutTickets(shown)).toEqual(withoutTickets(direct.body));
    }
  });

  inBrowser('aborts a request when its tab is left, or when it is stopped', async ({ page }) => {
    const sent: Request[] = [];
    const aborted: Request[] = [];
    page.on('requestfailed', (request) => aborted.push(request));
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      sent.push(route.request());
      await held.promise;
      await route.fulfill({ json: { data: { late: true } } }).catch(() => {});
    });
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await openTab(page, 'Metadata');
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await page.getByRole('button', { name: /^Stop query/ }).click();
    held.resolve();
    await page.unroute('**/graphql');
    expect(await page.locator('.response').innerText()).toBe(
      'Stopped: what had come of the response was discarded. Run the query again to see it.',
    );
    expect(JSON.stringify(await runOperation(page))).toContain('assetCount');
    expect(sent).toHaveLength(2);
    for (const request of sent) expect(aborted.includes(request)).toBe(true);
  });
});

describe('GraphiQL by keyboard', () => {
  /** The accessible name of the focused element, and whether its focus is visible. */
  const focus = (page: Page) =>
    page.evaluate(() => {
      const element = document.activeElement as HTMLInputElement;
      const label = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent;
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      return {
        name: label ?? element.textContent ?? '',
        isSeen: outlineStyle !== 'none' || boxShadow !== 'none' || element.closest('.monaco-editor.focused') !== null,
      };
    });

  /** The names of the elements that the Tab key focuses, until one matches. */
  const tabUntil = async (page: Page, last: RegExp) => {
    const names: string[] = [];
    do {
      await page.keyboard.press('Tab');
      const { name, isSeen } = await focus(page);
      expect([name, isSeen]).toEqual([name, true]);
      names.push(name);
    } while (!last.test(names.at(-1) ?? '') && names.length < 70);
    return names;
  };

  inBrowser('runs from the page’s load on, and reaches all of the response', async ({ page }) => {
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Save as PNG' }).waitFor();
    const names = await tabUntil(page, /^Daily weather/);
    expect(names.slice(0, names.indexOf('Columns') + 1)).toEqual([
      'dataset-subgraph',
      'Show on the dataset page',
      'Copy link',
      'Bearer token',
      'Dataset',
      'Assets 1',
      'Metrics 2',
      // Its day, month, year and calendar.
      ...Array<string>(4).fill('From'),
      ...Array<string>(4).fill('To'),
      'Show',
      'Show Documentation Explorer',
      'Show History',
      'Re-fetch GraphQL schema (Shift-Ctrl-R)',
      'Open short keys dialog',
      'Open settings dialog',
      'Columns',
    ]);
    expect(names).toContain('Execute query (Ctrl-Enter)');
    expect(names.slice(names.indexOf('Chart'))).toEqual([
      'Chart',
      expect.stringMatching(/^2 REST calls, /),
      'Save as JSON',
      'Export',
      'temp_max',
      'temp_min',
      'Histogram',
      'Logarithmic',
      'Seattle-Tacoma',
      'Zoom in',
      'Zoom out',
      'Whole time',
      'Save as PNG',
      'Save as SVG',
      'Daily weather, Seattle and New York: Seattle-Tacoma. Charts: temp_max, temp_min. Lines: Seattle-Tacoma. The arrow keys read out the values.',
    ]);
  });

  inNewTab('leads into an editor by Enter, and out of it by Tab', async ({ page }) => {
    const text = await editorText(page, 'operation.graphql');
    const isInEditor = () => page.evaluate(() => document.activeElement?.closest('.monaco-editor') != null);
    await page.locator('.graphiql-query-editor .graphiql-editor').focus();
    expect(await isInEditor()).toBe(false);
    await page.keyboard.press('Enter');
    expect(await isInEditor()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await isInEditor()).toBe(false);
    expect(await editorText(page, 'operation.graphql')).toBe(text);
  });

  inNewTab('reads out the values of a chart by the arrow keys', async ({ page }) => {
    await drawTemperatures(page);
    const keys = [
      'ArrowRight',
      'ArrowRight',
      'ArrowLeft',
      'ArrowLeft',
      'Shift+ArrowRight',
      'End',
      'ArrowRight',
      'Home',
    ];
    const first = '2015-01-01: temp_max 5.6, temp_min -3.2';
    const last = '2015-12-31: temp_max 5.6, temp_min -2.1';
    expect(await readings(page, keys)).toEqual([
      first,
      '2015-01-02: temp_max 5.6, temp_min 0',
      first,
      first,
      expect.stringMatching(/^2015-01-11: /),
      last,
      last,
      first,
    ]);
    expect(await page.locator('.response-reading').getAttribute('aria-live')).toBe('polite');
  });
});
