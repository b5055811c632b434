import { readFile } from 'node:fs/promises';
import type { Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { newPage, startDemo, useChromium } from './browser.ts';
import { untilShown } from './dataset.ts';

useChromium();

/** The most actions of a task. */
const MAX_ACTIONS = 4;

/** The most presses of Tab from one place to the next. */
const MAX_MOVES = 80;

/**
 * A user of the page. A click, a key and a typed text are actions. The Tab key is none: it moves the focus as a hand moves the
 * pointer.
 */
interface User {
  /** A click, or Enter. */
  press(target: Locator): Promise<void>;
  /** Chooses an option of a list: two clicks, or its first characters. */
  choose(list: Locator, option: string): Promise<void>;
  /** Opens the tab after the open one: a click, or an arrow key. */
  openNextTab(): Promise<void>;
  readonly actions: number;
}

function mouseOf(page: Page): User {
  let actions = 0;
  return {
    async press(target) {
      actions++;
      await target.click();
    },
    async choose(list, option) {
      actions += 2;
      await list.selectOption(option);
    },
    async openNextTab() {
      actions++;
      await page.locator('[role=tab][aria-selected=true] + [role=tab]').click();
    },
    get actions() {
      return actions;
    },
  };
}

function keyboardOf(page: Page): User {
  let actions = 0;
  const moveTo = async (target: Locator) => {
    await target.waitFor();
    for (let moves = 0; !(await target.evaluate((element) => element === document.activeElement)); moves++) {
      if (moves === MAX_MOVES) throw new Error('Tab does not lead there.');
      await page.keyboard.press('Tab');
    }
  };
  return {
    async press(target) {
      await moveTo(target);
      actions++;
      await page.keyboard.press('Enter');
    },
    async choose(list, option) {
      await moveTo(list);
      actions++;
      await page.keyboard.type(option);
      await expect
        .poll(() => list.evaluate((select: HTMLSelectElement) => select.selectedOptions[0]?.text))
        .toBe(option);
    },
    async openNextTab() {
      await moveTo(page.getByRole('tab', { selected: true }));
      actions++;
      await page.keyboard.press('ArrowRight');
    },
    get actions() {
      return actions;
    },
  };
}

/** What a user wants to know, and how: from the start page on. */
interface Task {
  readonly title: string;
  do(user: User, page: Page): Promise<void>;
}

const linkTo = (page: Page, name: string) => page.getByRole('link', { name });

const tasks: readonly Task[] = [
  {
    title: 'finds the hottest month',
    async do(user, page) {
      await user.press(linkTo(page, 'Daily weather'));
      await user.openNextTab();
      await user.choose(page.getByRole('combobox', { name: 'Period' }), 'month');
      await page
        .getByRole('listitem')
        .filter({ hasText: /temp_max Highest mean: July 2013, 30\.\d+, New York/ })
        .waitFor();
    },
  },
  {
    title: 'sees the temperatures of two stations above one another',
    async do(user, page) {
      await user.press(linkTo(page, 'Daily weather'));
      await untilShown(page);
      expect(await page.locator('.dataset-key li').allInnerTexts()).toEqual([
        'Seattle-Tacoma',
        'New York (Central Park)',
      ]);
    },
  },
  {
    title: 'finds the soil sensor that is stuck',
    async do(user, page) {
      await user.press(linkTo(page, '1,000 fields'));
      const row = page.getByRole('row', { name: /^soil_moisture .* 97\.3 2024-05-06 .*Field 0417/ });
      await user.press(row.getByRole('button', { name: /Field 0417/ }));
      await page.locator('.dataset-key li', { hasText: 'Field 0417' }).waitFor();
    },
  },
  {
    title: 'finds a field that the hail of June 2024 hit',
    async do(user, page) {
      await user.press(linkTo(page, '1,000 fields'));
      await user.choose(page.getByRole('combobox', { name: 'Time' }), '2024-06');
      const row = page.getByRole('row', { name: /^ndvi .* 0\.184\d* 2024-06-18 .*Field 0536, centre/ });
      await user.press(row.getByRole('button', { name: /Field 0536/ }));
      await page.locator('.dataset-key li', { hasText: 'Field 0536' }).waitFor();
    },
  },
  {
    title: 'gets a CSV file for a spreadsheet',
    async do(user, page) {
      await user.press(linkTo(page, 'Daily weather'));
      await user.press(page.locator('.response-export summary'));
      const downloading = page.waitForEvent('download');
      await user.press(page.getByRole('button', { name: 'CSV file for spreadsheets' }));
      const file = await readFile(await (await downloading).path());
      // A spreadsheet reads UTF-8 by its mark.
      expect(file.subarray(0, 3)).toEqual(Buffer.from([0xef, 0xbb, 0xbf]));
      expect(file.toString().split('\r\n')).toHaveLength(1 + 2 * 1461 + 1);
    },
  },
];

describe.each([
  ['mouse', mouseOf],
  ['keyboard', keyboardOf],
] as const)('From the start page, a user with a %s and four actions', (_, userOf) => {
  it.each(tasks)('$title', async (task) => {
    const endpoint = await startDemo();
    const { page, problems } = await newPage(endpoint.origin);
    await page.goto(new URL('/', endpoint).href);
    const user = userOf(page);
    await task.do(user, page);
    process.stderr.write(`${task.title}: ${user.actions} actions\n`);
    expect(user.actions).toBeLessThanOrEqual(MAX_ACTIONS);
    expect(problems).toEqual([]);
  });
});
