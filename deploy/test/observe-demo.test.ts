import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { send } from '../../test/support/harness.ts';
import { type Program, startProgram } from '../../test/support/process.ts';
import { rules } from './observability/queries.ts';

/** Starts the demo as `npm run demo:observe` does, with a directory for all that it writes. */
async function start(env: Record<string, string> = {}): Promise<{ program: Program; directory: string }> {
  const directory = await mkdtemp(join(tmpdir(), 'observe-'));
  onTestFinished(() => rm(directory, { recursive: true }));
  const args = ['-r', './src/node-version.cjs', 'deploy/observability/demo.ts'];
  // A signal reaches all its processes, as Ctrl-C does.
  const options = { env: { TMPDIR: directory, ...env }, ownGroup: true };
  return { program: startProgram(process.execPath, args, options), directory };
}

async function printedUrl(program: Program, name: string): Promise<URL> {
  const [, url = ''] = await program.printed(new RegExp(`^${name}: (\\S+)\\n`, 'm'));
  return new URL(url);
}

describe('npm run demo:observe', () => {
  it('has Prometheus watch the demo under load, with the alerts', async () => {
    const { program, directory } = await start();
    const prometheus = await printedUrl(program, 'Prometheus');
    const api = async (path: string) => (await send(new URL(`/api/v1/${path}`, prometheus))).body.data;
    const value = async (query: string) =>
      Number((await api(`query?query=${encodeURIComponent(query)}`)).result[0]?.value[1]);

    const metrics = await printedUrl(program, 'Metrics');
    await vi.waitFor(
      async () => {
        const { activeTargets } = await api('targets');
        expect(activeTargets).toMatchObject([{ scrapeUrl: metrics.href, health: 'up', lastError: '' }]);
        expect(await value('sum(graphql_operation_duration_seconds_count{outcome="success"})')).toBeGreaterThan(10);
        expect(await value('sum(graphql_errors_total)')).toBeGreaterThan(0);
      },
      { timeout: 25_000, interval: 100 },
    );
    const { groups } = await api('rules');
    const loaded = groups.flatMap(({ rules }: { rules: { name: string }[] }) => rules.map(({ name }) => name));
    expect(loaded.toSorted()).toEqual(rules.map(({ record, alert }) => record ?? alert).toSorted());
    for (const name of ['Graphs', 'Alerts'])
      expect(await send(await printedUrl(program, name))).toMatchObject({ status: 200 });

    expect(await readdir(directory)).toHaveLength(1);
    program.kill('SIGINT');
    // The output is closed, so none of its processes runs.
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(directory)).toEqual([]);
    await expect(send(prometheus)).rejects.toThrow('ECONNREFUSED');
  });

  it('stops while it starts', async () => {
    const { program, directory } = await start();
    await vi.waitFor(async () => expect(await readdir(directory)).toHaveLength(1), { interval: 10 });
    program.kill('SIGINT');
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
    expect(await readdir(directory)).toEqual([]);
  });

  it('says in one sentence where Prometheus is not installed', async () => {
    const { program, directory } = await start({ PATH: '/nowhere' });
    expect(await program.ended).toEqual({
      code: 1,
      signal: null,
      stdout: '',
      stderr: 'prometheus is not installed. On Debian or Ubuntu, run: apt-get install prometheus\n',
    });
    expect(await readdir(directory)).toEqual([]);
  });
});
