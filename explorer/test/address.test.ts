import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import {
  copiedText,
  editorText,
  inBrowser,
  newPage,
  openExplorer,
  openTab,
  runOperation,
  setEditorText,
  shownResponse,
  startDemo,
  tabNames,
  untilReady,
  useChromium,
} from './browser.ts';
import { watchOperations } from './dataset.ts';

useChromium();

const examples = ['Columns', 'Metadata', 'Rows', 'OneAsset', 'Periods', 'ByDate', 'Download', 'SeveralDatasets'];

/** The parameters in the fragment of the page's URL. */
function fragment(page: Page): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(new URL(page.url()).hash.slice(1)));
}

/** The text of both editors. */
async function shownText(page: Page): Promise<Record<string, string>> {
  return { query: await editorText(page, 'operation.graphql'), variables: await editorText(page, 'variables.json') };
}

/** The URL of GraphiQL with this fragment. */
function link(endpoint: URL, parameters: Record<string, string>): string {
  return new URL(`/graphiql#${new URLSearchParams(parameters)}`, endpoint).href;
}

/** Opens a link in a browser that has not run anything. */
async function openLink(parameters: Record<string, string>) {
  const endpoint = await startDemo();
  const { page, problems } = await newPage(endpoint.origin);
  const sent = watchOperations(page);
  await page.goto(link(endpoint, parameters));
  await untilReady(page);
  return { page, problems, sent, endpoint };
}

/** Types at the begin of the operation. */
async function typeFirst(page: Page, text: string): Promise<void> {
  await page.locator('.graphiql-query-editor .monaco-editor').click();
  await page.keyboard.press('Control+Home');
  await page.keyboard.type(text);
}

describe('The address of GraphiQL', () => {
  inBrowser(
    'has the query and the variables of the open tab, and what is typed, and never the token',
    async ({ page }) => {
      for (const name of ['Metadata', 'Columns']) {
        await openTab(page, name);
        await expect.poll(() => fragment(page)).toEqual(await shownText(page));
      }
      await page.getByLabel('Bearer token').fill('canary-of-the-address');
      await typeFirst(page, '# typed ');
      await expect.poll(() => fragment(page).query).toMatch(/^# typed # The metrics/);
      await page.getByRole('button', { name: 'Copy link' }).click();
      await page.getByText('Copied. The link has no token.').waitFor();
      const copied = await copiedText(page);
      await expect.poll(() => page.url()).toBe(copied);
      expect(decodeURIComponent(copied)).not.toMatch(/canary|demo-token/);
    },
  );

  inBrowser('keeps the last edit when the page is reloaded at once, and opens no other tab', async ({ page }) => {
    await typeFirst(page, '# the very last edit ');
    const edited = /^# the very last edit # The metrics/;
    // A busy browser is still typing.
    await expect.poll(() => editorText(page, 'operation.graphql'), { interval: 1 }).toMatch(edited);
    await page.reload();
    await untilReady(page);
    expect(await editorText(page, 'operation.graphql')).toMatch(edited);
    expect(await tabNames(page)).toEqual(examples);
    // A tab that was opened just before the reload stays open, and the others keep their text.
    await openTab(page, 'Rows');
    await page.reload();
    await untilReady(page);
    expect(await editorText(page, 'operation.graphql')).toContain('query Rows');
    await openTab(page, 'Columns');
    expect(await editorText(page, 'operation.graphql')).toMatch(edited);
  });

  it('opens the query of a link elsewhere in a tab of its own, and runs it only when asked to', async () => {
    const text = { query: 'query Mine($id: ID!) { dataset(id: $id) { name } }', variables: '{ "id": "unknown" }' };
    const { page, problems, sent } = await openLink(text);
    expect(await shownText(page)).toEqual(text);
    expect(await tabNames(page)).toEqual([...examples, 'Mine']);
    expect(await runOperation(page)).toMatchObject({ data: { dataset: null } });
    expect(sent.map(({ name }) => name)).toEqual(['Mine']);
    expect(problems).toEqual([]);
  });

  it('runs what was run before a reload, and not what was only opened', async () => {
    const { page, problems, sent } = await openLink({ query: 'query Mine { __typename }', variables: '' });
    for (let reloads = 0; reloads < 2; reloads++) {
      expect(sent).toEqual([]);
      await page.reload();
      await untilReady(page);
    }
    await runOperation(page);
    await page.reload();
    await untilReady(page);
    expect((await shownResponse(page)).data).toEqual({ __typename: 'Query' });
    expect(sent.map(({ name }) => name)).toEqual(['Mine', 'Mine']);
    expect(problems).toEqual([]);
  });

  it('opens a link that is entered into the address of the open page', async () => {
    const { page, endpoint } = await openExplorer();
    const sent = watchOperations(page);
    const text = { query: 'query Entered { __typename }', variables: '' };
    await page.goto(link(endpoint, text));
    await expect.poll(() => editorText(page, 'operation.graphql')).toBe(text.query);
    expect(await tabNames(page)).toEqual([...examples, 'Entered']);
    await page.goto(link(endpoint, { query: 'query Other { __typename }', variables: '' }));
    await expect.poll(() => tabNames(page)).toEqual([...examples, 'Entered', 'Other']);
    // The tab of a link that was opened before is opened again.
    await page.goto(link(endpoint, text));
    await expect.poll(() => editorText(page, 'operation.graphql')).toBe(text.query);
    expect(await tabNames(page)).toEqual([...examples, 'Entered', 'Other']);
    expect(sent).toEqual([]);
  });

  it('is harmless with what is not encoded, not known or too long, at the start and later', async () => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin);
    const opened: string[] = [];
    for (const [hash, name] of [
      ['#query=%E0%A4%A&variables=%%%', '<untitled>'],
      ['#nonsense'],
      ['#variables=%7B%7D'],
      [`#dataset=${'a'.repeat(31_992)}`],
      [`#dataset=${'a'.repeat(31_991)}`, 'Columns'],
    ] as const) {
      await page.goto(new URL(`/graphiql${hash}`, endpoint).href);
      await untilReady(page);
      if (name !== undefined) opened.push(name);
      await expect.poll(() => tabNames(page)).toEqual([...examples, ...opened]);
    }
    expect(problems).toEqual([]);
  });

  it('is harmless with text that would be a page, and with stored tabs that are damaged', async () => {
    const text = { query: '<img src=x onerror="globalThis.ran=1">', variables: '{"a": ' };
    const { page, problems, endpoint } = await openLink(text);
    expect(await shownText(page)).toEqual(text);
    expect(await page.evaluate(() => 'ran' in globalThis)).toBe(false);
    await page.goto(new URL('/', endpoint).href);
    await page.evaluate(() => sessionStorage.setItem('graphiql:tabState', '{"tabs":7}'));
    await page.goto(new URL('/graphiql', endpoint).href);
    await untilReady(page);
    expect(await tabNames(page)).toEqual(examples);
    expect(problems).toEqual([]);
  });

  inBrowser('has no query that is too long for a link, and says so', async ({ page }) => {
    const text = `# ${'long '.repeat(8000)}\n{ __typename }`;
    await setEditorText(page, 'operation.graphql', text);
    await expect.poll(() => new URL(page.url()).hash).toBe('');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('This query is too long for a link.').waitFor();
    await page.reload();
    await untilReady(page);
    expect(await editorText(page, 'operation.graphql')).toBe(text);
  });
});
