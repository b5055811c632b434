import type { Locator, Page } from 'playwright-core';
import { start, type TestBed } from '../../test/support/harness.ts';
import { editorText, newPage, untilReady } from './browser.ts';

/** GraphiQL in front of a dataset, opened without a token. */
export async function openServer(
  setup: Parameters<typeof start>[0] = {},
): Promise<{ bed: TestBed; page: Page; problems: string[] }> {
  const bed = await start({ env: { EXPLORER: 'graphiql' }, ...setup });
  const { origin } = new URL(bed.subgraph.url);
  const { page, problems } = await newPage(origin);
  await page.goto(`${origin}/graphiql`);
  await untilReady(page);
  return { bed, page, problems };
}

/** The picker. */
export const picker = (page: Page): Locator => page.getByRole('form', { name: 'Picker' });

/** What opens a list of the picker. */
export const choice = (page: Page, label: string): Locator => picker(page).locator('summary', { hasText: label });

/** The variables in their editor. */
export const variables = async (page: Page) => JSON.parse(await editorText(page, 'variables.json'));
