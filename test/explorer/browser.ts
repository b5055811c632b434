import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { endpointOf, startEntry } from '../process.ts';

/** How the browser shows the page. */
export interface View {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** Settings of the demo. */
  env?: Record<string, string>;
}

/** GraphiQL in a browser, before the demo. */
export interface Explorer {
  readonly page: Page;
  readonly endpoint: URL;
  /** What the browser has complained of: console, failed requests, requests to others than the demo. */
  readonly complaints: string[];
}

let browser: Browser;

/** Starts Debian's Chromium for the tests of a file, so that it asks nobody for anything by itself. */
export function useChromium(): void {
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
      ],
    });
  });
  afterAll(() => browser.close());
}

/** A page of the browser, which ends with the test, and what it complains of. */
export async function newPage(origin: string, { width = 1280, height = 800, colorScheme = 'light' }: View = {}) {
  const context = await browser.newContext({ viewport: { width, height }, colorScheme, acceptDownloads: true });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => complaints.push(`failed: ${request.url()}`));
  page.on('request', (request) => {
    const { protocol, origin: asked } = new URL(request.url());
    if (asked !== origin && !['data:', 'blob:'].includes(protocol)) complaints.push(`outside: ${request.url()}`);
  });
  return { page, complaints };
}

/** Starts the demo, and opens its GraphiQL. */
export async function openExplorer(view: View = {}): Promise<Explorer> {
  const endpoint = await endpointOf(startEntry('demo', { PORT: '0', LOG_LEVEL: 'silent', ...view.env }));
  const { page, complaints } = await newPage(endpoint.origin, view);
  await page.goto(new URL('/graphiql', endpoint).href);
  await untilReady(page);
  return { page, endpoint, complaints };
}

/** Waits until the editors are there and know the schema. */
export async function untilReady(page: Page): Promise<void> {
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.locator('.graphiql-response .monaco-editor').waitFor();
}

/** A test in the browser, at the end of which the browser must have had nothing to complain of. */
export function inBrowser(title: string, test: (explorer: Explorer) => Promise<void>, view: View = {}): void {
  it(title, async () => {
    const explorer = await openExplorer(view);
    await test(explorer);
    expect(explorer.complaints).toEqual([]);
  });
}

/** The names of the tabs. */
export function tabNames(page: Page): Promise<string[]> {
  return page.locator('.graphiql-tab-button').allTextContents();
}

/** Opens an example's tab, and waits until it is the one that runs. */
export async function openTab(page: Page, name: string): Promise<void> {
  await page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${name}$`) }).click();
  await page.waitForFunction(
    (text) => document.querySelector('.graphiql-query-editor')?.textContent?.includes(text),
    name,
  );
}

/** What Monaco, the editor, offers to scripts of the page. */
interface Monaco {
  editor: { getModels(): { uri: { path: string }; getValue(): string }[] };
}

/** The text of an editor: `operation.graphql`, `variables.json` or `response.json`. */
export function editorText(page: Page, name: string): Promise<string> {
  return page.evaluate((ending) => {
    const { __MONACO } = globalThis as unknown as { __MONACO: Monaco };
    return (
      __MONACO.editor
        .getModels()
        .find(({ uri }) => uri.path.endsWith(ending))
        ?.getValue() ?? ''
    );
  }, name);
}

/** Runs the operation by its button, and gives the answer as the page shows it. */
export async function runOperation(page: Page): Promise<{ data?: unknown; errors?: unknown[] }> {
  await page.getByRole('button', { name: /^Execute query/ }).click();
  return shownResponse(page);
}

/** Waits for an answer, and gives it as the page shows it. */
export async function shownResponse(page: Page): Promise<{ data?: unknown; errors?: unknown[] }> {
  await expect.poll(() => editorText(page, 'response.json'), { timeout: 20_000 }).toMatch(/^\{.*\}$/s);
  return JSON.parse(await editorText(page, 'response.json'));
}
