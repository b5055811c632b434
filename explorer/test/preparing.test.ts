import { readFileSync } from 'node:fs';
import { appendFile, cp, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { queryAt, send } from '../../test/support/harness.ts';
import { endpointOf, PROJECT, type Program, startProgram } from '../../test/support/process.ts';
import { newPage, untilReady, useChromium } from './browser.ts';

useChromium();

/** A new checkout without a bundle. */
async function checkOut(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'checkout-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const parts = [
    'src',
    'engine',
    'files',
    'explorer',
    'simulator',
    'operations',
    'package.json',
    'package-lock.json',
    'schema.graphql',
    'tsconfig.json',
  ];
  const filter = (source: string) => source !== join(PROJECT, 'explorer/test');
  for (const name of parts) await cp(join(PROJECT, name), join(directory, name), { recursive: true, filter });
  await symlink(join(PROJECT, 'node_modules'), join(directory, 'node_modules'));
  return directory;
}

function startDemo(directory: string): Program {
  return startProgram(process.execPath, ['simulator/demo.ts'], {
    cwd: directory,
    env: { PORT: '0', LOG_LEVEL: 'silent' },
  });
}

const READY = /^GraphiQL is ready, after \d+\.\d s\.$/m;

describe('GraphiQL in a fresh checkout', () => {
  it('is bundled once for each version, while a page shows the progress and then opens it', async () => {
    const directory = await checkOut();
    // Another program bundles it at the same time.
    const [demo, other] = [startDemo(directory), startDemo(directory)];
    const endpoint = await endpointOf(demo);
    const url = new URL('/graphiql', endpoint);
    const waiting = await send(url);
    expect(waiting).toMatchObject({
      status: 503,
      headers: {
        refresh: '1',
        'retry-after': '1',
        'cache-control': 'no-store',
        'content-type': 'text/html; charset=utf-8',
      },
      text: expect.stringMatching(/<h1>GraphiQL is being prepared<\/h1>.*\d+ modules read so far/s),
    });
    expect((await send(new URL('/graphiql/assets/index.js', url))).status).toBe(404);
    const { page, problems } = await newPage(endpoint.origin);
    await page.goto(url.href);
    expect(await page.locator('h1').innerText()).toBe('GraphiQL is being prepared');
    await untilReady(page);
    await demo.printed(READY);
    // Except for the status of the earlier responses.
    expect(problems.filter((problem) => !problem.includes('503'))).toEqual([]);
    await other.printed(READY);
    expect((await send(new URL('/graphiql', await endpointOf(other)))).status).toBe(200);
    for (const each of [demo, other]) {
      each.kill('SIGTERM');
      expect((await each.ended).stderr).toMatch(
        /^Preparing GraphiQL, once for this version \.\.\.\nGraphiQL is ready, after .*\n$/,
      );
    }
    const bundles = () => readdir(join(directory, '.cache/explorer'));
    expect(await bundles()).toHaveLength(1);

    // Code of the server alone.
    await appendFile(join(directory, 'src/core/usage.ts'), '\n');
    const again = startDemo(directory);
    expect((await send(new URL('/graphiql', await endpointOf(again)))).status).toBe(200);
    again.kill('SIGTERM');
    expect(await again.ended).toMatchObject({ code: 0, stderr: '' });

    // What the page shares with the server.
    await appendFile(join(directory, 'src/core/csv-field.ts'), '\n');
    const changed = startDemo(directory);
    await changed.printed(READY);
    expect(await bundles()).toHaveLength(1);
  });

  it('leaves no files when the program is stopped meanwhile', async () => {
    const directory = await checkOut();
    const demo = startDemo(directory);
    await endpointOf(demo);
    demo.kill('SIGTERM');
    expect(await demo.ended).toMatchObject({ code: 0, stderr: 'Preparing GraphiQL, once for this version ...\n' });
    expect(await readdir(join(directory, '.cache/explorer'))).toEqual([]);
  });

  it.each<[string, (directory: string) => Promise<void>, RegExp]>([
    [
      'its sources are invalid',
      (directory) => writeFile(join(directory, 'explorer/page/main.tsx'), 'import ('),
      /GraphiQL cannot be shown: The page could not be bundled; "npm ci" installs the bundler\.\n.*main\.tsx/s,
    ],
    [
      'nothing can be written',
      (directory) => writeFile(join(directory, '.cache'), ''),
      /^GraphiQL cannot be shown: The directory of the page cannot be read or written \(\w+\)\.$/m,
    ],
  ])('reports that %s, and everything else works', async (_why, spoil, said) => {
    const directory = await checkOut();
    await spoil(directory);
    const demo = startDemo(directory);
    const endpoint = await endpointOf(demo);
    await demo.printed(said);
    const { status, headers, text } = await send(new URL('/graphiql', endpoint));
    expect(status).toBe(503);
    expect(text).toContain('<h1>GraphiQL cannot be shown</h1>');
    expect(headers).not.toHaveProperty('refresh');
    expect((await queryAt(endpoint, '{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
  });

  it('has no settings in the bundler’s process: its environment is empty', () => {
    expect(readFileSync(join(PROJECT, 'explorer/src/bundle.ts'), 'utf8')).toMatch(/^ +env: \{\},$/m);
  });
});
