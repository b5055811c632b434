import type { Page, Request } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { queryAt } from '../../test/support/harness.ts';
import {
  editorText,
  inBrowser,
  newPage,
  openExplorer,
  openTab,
  runOperation,
  shownResponse,
  startDemo,
  tabNames,
  untilDrawn,
  untilReady,
  untilRun,
  useChromium,
} from './browser.ts';

useChromium();

const TOKEN = 'demo-token';

/** What a test has noted in the page. */
interface Noted {
  readonly noted: { readonly worker: Worker; readonly kinds: readonly string[]; readonly responseId: number };
}

const examples = ['Columns', 'Metadata', 'Rows', 'OneAsset', 'Periods', 'ByDate', 'Download', 'SeveralDatasets'];

/** A response without download tickets, which differ for each response. */
function withoutTickets(response: unknown): unknown {
  return JSON.parse(JSON.stringify(response).replaceAll(/(?<=\/download\/)[\w.-]+(?=")/g, 'TICKET'));
}

describe('GraphiQL', () => {
  inBrowser('opens with the examples, the demo’s token and the chart of the first example', async ({ page }) => {
    expect(await tabNames(page)).toEqual(examples);
    expect(await page.getByLabel('Bearer token').inputValue()).toBe(TOKEN);
    await untilDrawn(page);
    expect(JSON.stringify(await shownResponse(page))).toContain('"Seattle-Tacoma"');
  });

  inBrowser('shows the schema’s documentation', async ({ page }) => {
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
    await page.getByRole('link', { name: 'Query', exact: true }).click();
    await page.getByRole('link', { name: 'Dataset', exact: true }).first().click();
    expect(await page.locator('.graphiql-plugin').innerText()).toContain('A dataset of the platform.');
  });

  it.each(examples)('runs the example %s, and shows the response of the endpoint', async (name) => {
    const { page, endpoint, problems } = await openExplorer();
    await openTab(page, name);
    const { extensions, ...shown } = await runOperation(page);
    expect(extensions).toMatchObject({ restCalls: { calls: expect.any(Array) } });
    const variables = JSON.parse(await editorText(page, 'variables.json'));
    const direct = await queryAt(endpoint, await editorText(page, 'operation.graphql'), { variables, token: TOKEN });
    expect(direct.body).not.toHaveProperty('errors');
    expect(withoutTickets(shown)).toEqual(withoutTickets(direct.body));
    expect(problems).toEqual([]);
  });

  inBrowser('shows errors, and the response once there is a token', async ({ page }) => {
    await page.getByLabel('Bearer token').fill('');
    const { data, errors } = await runOperation(page);
    expect(data).toEqual({ dataset: null });
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    await page.getByLabel('Bearer token').fill(` ${TOKEN} `);
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await page.getByRole('heading', { name: /Seattle/ }).waitFor();
  });

  inBrowser('keeps the token in the session storage of the tab, and the demo’s token nowhere', async ({ page }) => {
    const kept = () =>
      page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie]));
    expect(await kept()).not.toContain(TOKEN);
    await page.getByLabel('Bearer token').fill('canary-of-the-page');
    await runOperation(page);
    expect((await kept()).replace('"dataset-subgraph:token":"canary-of-the-page"', '')).not.toContain('canary');
    await page.reload();
    await untilReady(page);
    expect(await page.getByLabel('Bearer token').inputValue()).toBe('canary-of-the-page');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await expect.poll(() => page.getByLabel('Bearer token').inputValue()).toBe(TOKEN);
    expect(await kept()).not.toContain('canary');
  });

  inBrowser('keeps edits over a reload, and discards them in a new page', async ({ page, endpoint }) => {
    await page.locator('.graphiql-query-editor .monaco-editor').click();
    await page.keyboard.press('Control+Home');
    await page.keyboard.type('# mine ');
    await expect.poll(() => page.evaluate(() => sessionStorage['graphiql:tabState'])).toContain('# mine #');
    // GraphiQL stores the text of the open tab at once, and its tabs later. A reload in between must not open another tab.
    await page.keyboard.type('and more', { delay: 150 });
    await page.reload();
    await untilReady(page);
    await expect.poll(() => editorText(page, 'operation.graphql')).toMatch(/^# mine [a-z ]*# The metrics/);
    expect(await tabNames(page)).toEqual(examples);
    const { page: another } = await newPage(endpoint.origin);
    await another.goto(new URL('/graphiql', endpoint).href);
    await untilReady(another);
    await expect.poll(() => editorText(another, 'operation.graphql')).toMatch(/^# The metrics/);
  });

  it('aborts a request when its tab is left, or when it is stopped', async () => {
    const { page, problems } = await openExplorer();
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
    expect(problems).toEqual([]);
  });

  it('keeps no response that was stopped while it was read', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin);
    // Notes what the page and its worker tell each other, and stops the query when its response is read.
    await page.addInitScript(() => {
      const noted = { worker: undefined as Worker | undefined, stopsNext: false, kinds: [] as string[], responseId: 0 };
      Object.assign(globalThis, { noted });
      const NativeWorker = Worker;
      globalThis.Worker = class extends NativeWorker {
        constructor(url: string | URL, options?: WorkerOptions) {
          super(url, options);
          this.addEventListener('message', ({ data }) => {
            if (data?.kind === 'progress') noted.worker = this;
            if (!noted.stopsNext || noted.worker !== this) return;
            noted.kinds.push(data.kind);
            noted.responseId = data.responseId ?? noted.responseId;
            if (!data.isComplete) return;
            document.querySelector<HTMLElement>('.graphiql-execute-button')?.click();
          });
        }
      };
    });
    await Promise.all([untilRun(page), page.goto(new URL('/graphiql', endpoint).href)]);
    await untilReady(page);
    await shownResponse(page);
    await page.evaluate(() => Object.assign((globalThis as unknown as Noted).noted, { stopsNext: true }));
    await page.getByRole('button', { name: /^Execute query/ }).click();
    await expect.poll(() => page.evaluate(() => (globalThis as unknown as Noted).noted.kinds)).toContain('done');
    expect(await page.locator('.response').getAttribute('data-state')).toBe('stopped');
    const reply = await page.evaluate(() => {
      const { worker, responseId } = (globalThis as unknown as Noted).noted;
      return new Promise((resolve) => {
        worker.addEventListener('message', ({ data }) => data.id === -1 && resolve(data));
        worker.postMessage({ kind: 'query', id: -1, responseId, method: 'bytes', args: [] });
      });
    });
    expect(reply).toEqual({ kind: 'rejected', id: -1, reason: 'The response was released. Run the query again.' });
    expect(problems).toEqual([]);
  });

  it('may load from and connect to this server only', async () => {
    const { page, problems } = await openExplorer();
    const blocked = await page.evaluate(async () => {
      const violations: string[] = [];
      const evalBlocked = Promise.withResolvers<void>();
      document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
        violations.push(effectiveDirective);
        if (effectiveDirective === 'script-src') evalBlocked.resolve();
      });
      await fetch('http://127.0.0.1:9/').catch(() => {});
      const load = (element: HTMLElement) =>
        new Promise((resolve) => {
          element.onload = resolve;
          element.onerror = resolve;
          document.body.append(element);
        });
      await load(Object.assign(document.createElement('img'), { src: 'http://127.0.0.1:9/a.png' }));
      await load(Object.assign(document.createElement('script'), { src: 'http://127.0.0.1:9/a.js' }));
      document.body.append(Object.assign(document.createElement('script'), { textContent: 'globalThis.ran = true' }));
      try {
        new Function('globalThis.ran = true')();
      } catch {}
      await evalBlocked.promise;
      return { violations, ran: 'ran' in globalThis };
    });
    expect(blocked.ran).toBe(false);
    expect(new Set(blocked.violations)).toEqual(new Set(['connect-src', 'img-src', 'script-src', 'script-src-elem']));
    expect(problems.length).toBeGreaterThan(0);
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

  inBrowser('leads into an editor by Enter, and out of it by Tab', async ({ page }) => {
    const text = await editorText(page, 'operation.graphql');
    const isInEditor = () => page.evaluate(() => document.activeElement?.closest('.monaco-editor') != null);
    const operation = page.locator('.graphiql-query-editor .graphiql-editor');
    await operation.focus();
    expect(await isInEditor()).toBe(false);
    await page.keyboard.press('Enter');
    expect(await isInEditor()).toBe(true);
    await page.keyboard.press('Tab');
    expect(await isInEditor()).toBe(false);
    expect(await editorText(page, 'operation.graphql')).toBe(text);
  });

  inBrowser('reads out the values by the arrow keys', async ({ page }) => {
    await page.keyboard.press('Control+Enter');
    await page.getByRole('button', { name: 'Save as PNG' }).waitFor();
    await tabUntil(page, /^Daily weather/);
    const reading = async (key: string) => {
      await page.keyboard.press(key);
      return page.locator('.response-reading').innerText();
    };
    expect(await reading('ArrowRight')).toBe('2015-01-01: temp_max 5.6, temp_min -3.2');
    expect(await reading('ArrowRight')).toBe('2015-01-02: temp_max 5.6, temp_min 0');
    expect(await reading('ArrowLeft')).toBe('2015-01-01: temp_max 5.6, temp_min -3.2');
    expect(await reading('ArrowLeft')).toBe('2015-01-01: temp_max 5.6, temp_min -3.2');
    expect(await reading('Shift+ArrowRight')).toMatch(/^2015-01-11: /);
    expect(await reading('End')).toBe('2015-12-31: temp_max 5.6, temp_min -2.1');
    expect(await reading('ArrowRight')).toMatch(/^2015-12-31: /);
    expect(await reading('Home')).toMatch(/^2015-01-01: /);
    expect(await page.locator('.response-reading').getAttribute('aria-live')).toBe('polite');
  });
});
