import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { start } from '../../test/support/harness.ts';
import { isTested, linuxOnX64 } from '../../test/support/left-out.ts';
import { PROJECT, startProgram } from '../../test/support/process.ts';
import { read } from './files.ts';

const ROVER = `${PROJECT}deploy/test/node_modules/@apollo/rover-linux-x64/rover`;

const rover = (...args: string[]) => startProgram(ROVER, args, { env: { APOLLO_TELEMETRY_DISABLED: '1' } }).ended;
const npmRunSchema = (env = {}) => startProgram('npm', ['run', '--silent', 'schema'], { env }).ended;

const runs = isTested('the commands of rover', linuxOnX64);

describe.runIf(runs)('rover subgraph introspect', () => {
  it('returns the schema with other names and a secret, and only with the secret', async () => {
    const env = { SCHEMA_NAMES: 'Metric:FooMetric', ROUTER_SECRET: 'secret-of-the-router' };
    const { subgraph } = await start({ env });
    const introspect = (...args: string[]) => rover('subgraph', 'introspect', subgraph.url, ...args);
    const { code, stdout } = await introspect('--header', 'router-authorization:secret-of-the-router');
    expect({ code, stdout }).toEqual({ code: 0, stdout: (await npmRunSchema(env)).stdout });
    expect(stdout).toContain('type FooMetric {');
    expect(await introspect()).toMatchObject({ code: 1, stdout: '' });
  });
});

describe.runIf(runs)('rover subgraph check and publish', () => {
  const commands = read('deploy/README.md').match(/^rover subgraph (check|publish) .*$/gm) ?? [];

  it.each(['check', 'publish'])('lacks only an account, as deploy/README.md has it: %s', async (name) => {
    const command = commands.find((each) => each.startsWith(`rover subgraph ${name} `)) ?? '';
    const directory = await mkdtemp(join(tmpdir(), 'rover-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await copyFile(`${PROJECT}schema.graphql`, join(directory, 'dataset.graphql'));
    const [, ...args] = command.split(' ');
    const env = { APOLLO_TELEMETRY_DISABLED: '1', APOLLO_CONFIG_HOME: directory };
    const { code, stderr } = await startProgram(ROVER, args, { env, cwd: directory }).ended;
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error\[E020\]: No configuration profiles were found/);
  });
});
