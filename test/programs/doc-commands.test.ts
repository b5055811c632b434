import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { blocksOf } from '../support/doc-blocks.ts';
import { endpointOf, PROJECT, startEntry, startProgram } from '../support/process.ts';

/** Commands that run until they are ended; the test has them running. */
const servers = ['npm ci && npm run demo\n', 'npm run demo:supergraph\n'];

/** The pages, with the servers that they start. */
const pages = [
  { page: 'docs/tutorial.md', started: servers },
  { page: 'docs/terminal.md', started: servers.slice(0, 1) },
];

/** The addresses that the pages name, in place of those that the servers have here. */
async function startServers(started: readonly string[]): Promise<[written: string, real: string][]> {
  const endpoint = await endpointOf(startEntry('demo', { PORT: '0' }));
  const addresses: [string, string][] = [['127.0.0.1:4000', endpoint.host]];
  if (started.length > 1) {
    const program = ['-r', './src/node-version.cjs', 'examples/supergraph/start.ts', endpoint.href, '0'];
    const [, url = ''] = await startProgram(process.execPath, program).printed(/^Supergraph: (\S+)\n/m);
    addresses.push(['127.0.0.1:4001', new URL(url).host]);
  }
  return addresses;
}

/** A home directory with the package's command in its `bin`, as `npm install --global` would put it. */
async function makeHome(endpoint: string): Promise<Record<string, string>> {
  const home = await mkdtemp(join(tmpdir(), 'doc-'));
  onTestFinished(() => rm(home, { recursive: true }));
  const command = join(home, 'dataset-subgraph');
  await writeFile(command, `#!/bin/sh\nexec '${process.execPath}' '${PROJECT}ask/cli.ts' "$@"\n`);
  await chmod(command, 0o755);
  const PATH = `${home}:${process.env.PATH}`;
  return { HOME: home, TMPDIR: home, PATH, LANG: 'C.UTF-8', DATASET_SUBGRAPH_URL: `http://${endpoint}/graphql` };
}

describe.each(pages)('$page', ({ page, started }) => {
  const blocks = blocksOf(page);
  const steps = blocks.flatMap(({ language, code }, index) => {
    if (language !== 'sh' || servers.includes(code)) return [];
    const next = blocks[index + 1];
    return [{ commands: code, shown: next?.language === 'sh' ? undefined : next }];
  });

  it('has nothing but commands, and what comes of them', () => {
    expect(blocks.filter(({ code }) => servers.includes(code)).map(({ code }) => code)).toEqual(started);
    expect(steps.length).toBeGreaterThan(4);
    const shown = blocks.filter(({ language }) => language !== 'sh').map(({ language }) => language);
    expect(shown.filter((language) => language !== 'json' && language !== 'text')).toEqual([]);
    expect(shown).toHaveLength(steps.filter((step) => step.shown !== undefined).length);
  });

  it('shows what its commands do, one after the other', { timeout: 60_000 }, async () => {
    const addresses = await startServers(started);
    const env = await makeHome(addresses[0]?.[1] ?? '');
    let exported = '';
    for (const { commands, shown } of steps) {
      const here = addresses.reduce((text, [written, real]) => text.replaceAll(written, real), commands);
      const { code, stdout, stderr } = await startProgram('bash', ['-e', '-c', exported + here], { env }).ended;
      exported += here.match(/^export .*\n/gm)?.join('') ?? '';
      expect({ commands, code, stderr }).toEqual({ commands, code: 0, stderr: '' });
      const said = addresses.reduce((text, [written, real]) => text.replaceAll(real, written), stdout);
      if (shown?.language === 'json') expect(JSON.parse(said)).toEqual(JSON.parse(shown.code));
      else if (shown !== undefined) expect(said.replaceAll('\r\n', '\n').trimEnd()).toBe(shown.code.trimEnd());
    }
  });
});
