import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { endpointOf, type GuardedProgram, startGuardedEntry } from '../../test/support/process.ts';
import { chromiumNames, findTool } from '../../test/support/tools.ts';

/** The view of a page. */
export interface View {
  width?: number;
  height?: number;
  colorScheme?: 'light' | 'dark';
  /** Whether no other test has its tab: it has an empty cache, and may run scripts before those of the page. */
  isAlone?: boolean;
}

/** GraphiQL of the demo in a browser. */
export interface Explorer {
  readonly page: Page;
  readonly endpoint: URL;
  /** Console errors and warnings, failed requests, and requests to other origins than the demo. */
  readonly problems: string[];
}

/** A tab that the tests use in turns, because a page loads in half the time where it was loaded before. */
interface Tab {
  readonly view: string;
  readonly page: Page;
  isFree: boolean;
  /** Whether it shows GraphiQL, in which the next test may open a tab of GraphiQL. */
  hasExplorer: boolean;
}

let browser: Browser | undefined;
const tabs: Tab[] = [];
let demo: GuardedProgram | undefined;
/** How many tabs of GraphiQL the tests have opened. */
let openedTabs = 0;

/**
 * Starts Debian's Chromium, without its background requests. Its headless shell takes a third less time. The files of a process
 * share it, and the demo: both end with the process.
 */
export function useChromium(): void {
  beforeAll(async () => {
    browser ??= await chromium.launch({
      executablePath: findTool(...chromiumNames) as string,
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
}

/** Opens a tab of the browser until the end of the test, with nothing of an earlier test, and collects its problems. */
export async function newPage(origin: string, view: View = {}) {
  const { page } = await takeTab(origin, view, false);
  return { page, problems: problemsOf(page, origin) };
}

/** A tab that no other test has until the end of this one. If wanted, it may show GraphiQL; else it has nothing of an earlier test. */
async function takeTab(
  origin: string,
  { width = 1280, height = 800, colorScheme = 'light', isAlone }: View,
  wantsExplorer: boolean,
) {
  const view = `${width}x${height} ${colorScheme}`;
  const free = isAlone ? [] : tabs.filter((tab) => tab.isFree && tab.view === view);
  const used = free.find(({ hasExplorer }) => hasExplorer === wantsExplorer) ?? free[0];
  const tab = used ?? {
    view,
    page: await openTabOf({ viewport: { width, height }, colorScheme }),
    isFree: false,
    hasExplorer: false,
  };
  if (used === undefined) tabs.push(tab);
  const { page } = tab;
  const hasExplorer = tab.hasExplorer && wantsExplorer;
  Object.assign(tab, { isFree: false, hasExplorer: wantsExplorer });
  onTestFinished(async ({ task }) => {
    if (isAlone) return page.context().close();
    await page.unrouteAll();
    for (const event of ['console', 'pageerror', 'request', 'requestfailed']) page.removeAllListeners(event);
    if (task.result?.state !== 'pass') tab.hasExplorer = false;
    if (!tab.hasExplorer) await page.goto('about:blank');
    await page.mouse.move(0, 0);
    tab.isFree = true;
  });
  if (used !== undefined && !hasExplorer) {
    await page.goto(`${origin}/health/live`);
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
  }
  return { page, hasExplorer };
}

/** The problems of a page from now on. */
function problemsOf(page: Page, origin: string): string[] {
  const problems: string[] = [];
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) problems.push(`console: ${message.text()}`);
  });
  page.on('pageerror', (error) => problems.push(`error: ${error.message}`));
  page.on('requestfailed', (request) => {
    // The page was reloaded or closed meanwhile. Chromium also reports this of some streams that were read to their end.
    if (request.failure()?.errorText === 'net::ERR_ABORTED') return;
    problems.push(`failed: ${request.url()}`);
  });
  page.on('request', (request) => {
    const { protocol, origin: requested } = new URL(request.url());
    if (requested !== origin && !['data:', 'blob:'].includes(protocol)) problems.push(`outside: ${request.url()}`);
  });
  return problems;
}

async function openTabOf(options: BrowserContextOptions): Promise<Page> {
  if (browser === undefined) throw new Error('The file does not use Chromium.');
  const context = await browser.newContext({ ...options, acceptDownloads: true });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  // Somewhat less than a test may take.
  context.setDefaultTimeout(110_000);
  return context.newPage();
}

/** Opens the GraphiQL of the demo, which runs the first example. */
export async function openExplorer(view: View = {}): Promise<Explorer> {
  const endpoint = await startDemo();
  const { page, problems } = await newPage(endpoint.origin, view);
  await loadExplorer(page, endpoint);
  return { page, endpoint, problems };
}

async function loadExplorer(page: Page, endpoint: URL): Promise<void> {
  await Promise.all([untilRun(page), page.goto(new URL('/graphiql', endpoint).href)]);
  await untilReady(page);
}

/** Opens a tab in the GraphiQL of the demo, by a link. An earlier test may have loaded the page, and has its response elsewhere. */
export async function openExplorerTab(): Promise<Explorer> {
  const endpoint = await startDemo();
  const { page, hasExplorer } = await takeTab(endpoint.origin, {}, true);
  const problems = problemsOf(page, endpoint.origin);
  if (!hasExplorer) await loadExplorer(page, endpoint);
  const query = `query Tab${openedTabs++} { __typename }`;
  await page.goto(new URL(`/graphiql#${new URLSearchParams({ query })}`, endpoint).href);
  await expect.poll(() => editorText(page, 'operation.graphql')).toBe(query);
  await page.locator('.response[data-state=idle]').waitFor();
  return { page, endpoint, problems };
}

/** Starts the demo, unless it runs already. Returns its endpoint. */
export function startDemo(): Promise<URL> {
  demo ??= startGuardedEntry('demo', { PORT: '0', LOG_LEVEL: 'silent' });
  return endpointOf(demo);
}

/** Waits for the response of an operation that reads columns. */
export async function untilRun(page: Page): Promise<void> {
  await page.waitForResponse((response) => response.request().postData()?.includes('query Columns') ?? false);
  await page.getByRole('button', { name: /^Execute query/ }).waitFor();
}

/** Waits for a chart. The editors have canvases too. */
export async function untilDrawn(page: Page): Promise<void> {
  await page.locator('canvas[data-zr-dom-id]').first().waitFor();
}

/** Waits until the editors are loaded and know the schema. */
export async function untilReady(page: Page): Promise<void> {
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  await page.locator('.graphiql-response .monaco-editor').first().waitFor({ state: 'attached' });
}

/** A test of GraphiQL as it opens, which must report no problems. */
export function inBrowser(title: string, test: (explorer: Explorer) => Promise<void>, view: View = {}): void {
  testOf(title, () => openExplorer(view), test);
}

/** A test of the responses of one tab of GraphiQL. Loading the page would take most of its time. */
export function inNewTab(title: string, test: (explorer: Explorer) => Promise<void>): void {
  testOf(title, openExplorerTab, test);
}

function testOf(title: string, open: () => Promise<Explorer>, test: (explorer: Explorer) => Promise<void>): void {
  it(title, async () => {
    const explorer = await open();
    await test(explorer);
    expect(explorer.problems).toEqual([]);
  });
}

/** The text that the page has copied. */
export function copiedText(page: Page): Promise<string> {
  return page.evaluate(() => navigator.clipboard.readText());
}

/** The names of the tabs. */
export function tabNames(page: Page): Promise<string[]> {
  return page.locator('.graphiql-tab-button').allTextContents();
}

/**
 * Opens an example's tab, and waits until its operation is in the editor and in the address: GraphiQL stores the text of a tab
 * after a pause, and the address follows. A click that misses, because the page moves, is repeated.
 */
export async function openTab(page: Page, name: string): Promise<void> {
  const tab = page.locator('.graphiql-tab-button', { hasText: new RegExp(`^${name}$`) });
  const isOpen = (text: string) =>
    location.hash.includes(text) && document.querySelector('.graphiql-query-editor')?.textContent?.includes(text);
  const open = async () => {
    await tab.click();
    return page.waitForFunction(isOpen, name, { timeout: 5000 }).then(
      () => true,
      () => false,
    );
  };
  await expect.poll(open).toBe(true);
}

/** The scripting interface of Monaco, the editor. */
interface Monaco {
  editor: { getModels(): { uri: { path: string }; getValue(): string; setValue(text: string): void }[] };
}

/** The text of an editor: `operation.graphql`, `variables.json` or `received.json`. */
export function editorText(page: Page, name: string): Promise<string> {
  return page.evaluate((ending) => {
    const { __MONACO } = globalThis as unknown as { __MONACO: Monaco };
    const model = __MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(ending));
    return model?.getValue() ?? '';
  }, name);
}

/** Puts a text into an editor: `operation.graphql` or `variables.json`. */
export async function setEditorText(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(
    ([ending, value]) => {
      const { __MONACO } = globalThis as unknown as { __MONACO: Monaco };
      const model = __MONACO.editor.getModels().find(({ uri }) => uri.path.endsWith(ending));
      model?.setValue(value);
    },
    [name, text] as const,
  );
}

/** Puts an operation and its variables into the editors. */
export async function setOperation(page: Page, document: string, variables: object = {}): Promise<void> {
  await setEditorText(page, 'operation.graphql', document);
  await setEditorText(page, 'variables.json', JSON.stringify(variables));
}

/** Runs the operation with its button. Returns the response that the page shows, and opens the chart. */
export async function runOperation(page: Page): Promise<{ data?: unknown; errors?: unknown[]; extensions?: object }> {
  await page.getByRole('button', { name: /^Execute query/ }).click();
  return shownResponse(page);
}

/** Waits for a response. Returns the response that the page shows, and opens the chart. */
export async function shownResponse(page: Page): Promise<{ data?: unknown; errors?: unknown[]; extensions?: object }> {
  await page.locator('.response[data-state=done]').waitFor();
  await page.getByRole('tab', { name: 'JSON' }).click();
  await expect.poll(() => editorText(page, 'received.json')).toMatch(/^\{.*\}$/s);
  const response = JSON.parse(await editorText(page, 'received.json'));
  await page.getByRole('tab', { name: 'Chart' }).click();
  return response;
}
