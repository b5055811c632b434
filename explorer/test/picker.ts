import type { Page } from 'playwright-core';
import { DATASET_ID, start, type TestBed, TOKEN } from '../../test/support/harness.ts';
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

/** The parts of the picker. */
export function pickerOf(page: Page) {
  const form = page.getByRole('form', { name: 'Picker' });
  const dataset = form.getByLabel('Dataset');
  return {
    form,
    dataset,
    from: form.getByLabel('From'),
    to: form.getByLabel('To'),
    status: form.locator('.picker-status'),
    /** What opens the list of assets or of metrics. */
    list: (label: 'Assets' | 'Metrics') => form.locator('summary', { hasText: label }),
    click: (name: string) => form.getByRole('button', { name }).click(),
    /** Opens a dataset by its id and a token, with a key. */
    open: async (key = 'Enter', id = DATASET_ID, token = TOKEN) => {
      await page.getByLabel('Bearer token').fill(token);
      await dataset.fill(id);
      await page.keyboard.press(key);
    },
  };
}

/** The variables in their editor. */
export const variables = async (page: Page) => JSON.parse(await editorText(page, 'variables.json'));
