import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** A rule of axe-core, and the elements that break it. */
export interface Violation {
  readonly rule: string;
  readonly elements: readonly string[];
}

/** The HTML of what GraphiQL does itself, by rule: where neither its properties nor styles reach. */
const ofGraphiql: Readonly<Record<string, RegExp>> = {
  // A tab of GraphiQL is a list item with two buttons: one opens it, the other closes it. Both work by keyboard.
  'nested-interactive': /^<li [^>]*class="graphiql-tab\b/,
};

/** What axe-core finds on a page: all of its rules, those of WCAG 2.2 A and AA and its own, without what GraphiQL does. */
export async function violationsOf(page: Page): Promise<Violation[]> {
  await page.evaluate(axe.source);
  const found = await page.evaluate(async () => {
    const { axe: onPage } = globalThis as unknown as { axe: typeof axe };
    const { violations } = await onPage.run();
    return violations.map(({ id: rule, nodes }) => ({
      rule,
      nodes: nodes.map(({ target, html, failureSummary = '' }) => ({
        html,
        text: `${target.join(' ')}: ${failureSummary.split('\n')[1]}`,
      })),
    }));
  });
  return found
    .map(({ rule, nodes }) => ({
      rule,
      elements: nodes.filter(({ html }) => !ofGraphiql[rule]?.test(html)).map(({ text }) => text),
    }))
    .filter(({ elements }) => elements.length > 0);
}
