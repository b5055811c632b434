import { setTimeout as wait } from 'node:timers/promises';
import { preparePage } from '../../explorer/src/bundle.ts';

/** Bundles GraphiQL's page where that has not been done yet, so that no test waits for it, and many do not at once. */
export default async function prepareExplorer(): Promise<void> {
  const bundle = preparePage((line) => process.stderr.write(`${line}\n`));
  while (bundle.state().kind === 'preparing') await wait(100);
}
