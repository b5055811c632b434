import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';

/** The most memory that a process of the page's tab has used so far, in megabytes. Workers are within it. */
export async function peakMemory(page: Page): Promise<number> {
  const browser = page.context().browser();
  if (browser === null) throw new Error('The page has no browser.');
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send('SystemInfo.getProcessInfo');
  await session.detach();
  const peaks = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]) / 1000);
  return Math.round(Math.max(...peaks));
}
