import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSchema, parse as parseGraphQL, validate } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { blocksOf } from '../../test/support/doc-blocks.ts';
import { PROJECT, startProgram } from '../../test/support/process.ts';
import { read, readYaml } from './files.ts';
import { only } from './manifests.ts';

/** What needs a cluster, a registry, an engine or an account: recorded instead of run. */
const recorded = ['curl', 'git', 'helm', 'kubectl', 'podman', 'rover'];

/** Fails if a named file is not there, and makes the file that rover would write. */
const STUB = `#!/usr/bin/env bash
set -euo pipefail
{ printf '%s' "$(basename "$0")"; printf '\\t%s' "$@"; echo; } >> "$RECORD"
previous=
for word in "$@"; do
  case "$previous" in
    -f | -k | --config | --patch-file | --schema | --values) test -e "$word" ;;
    --set-file) test -s "\${word#*=}" ;;
    --output) echo 'the supergraph' > "$word" ;;
  esac
  previous=$word
done
`;

/** Runs all commands of the page, one after the other, in a folder with what they read of a checkout. Returns their words. */
async function runPage(): Promise<string[][]> {
  const folder = await mkdtemp(join(tmpdir(), 'deploy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const checkout = join(folder, 'checkout');
  const bin = join(folder, 'bin');
  await Promise.all([mkdir(checkout), mkdir(bin)]);
  for (const name of await readdir(PROJECT)) {
    if (name !== 'deploy') await symlink(`${PROJECT}${name}`, join(checkout, name));
  }
  const deploy = `${PROJECT}deploy`;
  await cp(deploy, join(checkout, 'deploy'), { recursive: true, filter: (path) => !path.startsWith(`${deploy}/test`) });
  for (const name of recorded) {
    await writeFile(join(bin, name), STUB);
    await chmod(join(bin, name), 0o755);
  }
  const record = join(folder, 'record');
  const env = { PATH: `${bin}:${process.env.PATH}`, RECORD: record, TOKEN: 'token-of-anna' };
  for (const { language, code } of blocksOf('deploy/README.md')) {
    if (language !== 'sh') continue;
    const bash = startProgram('bash', ['-eo', 'pipefail', '-c', code], { env, cwd: checkout });
    const { code: exit, stderr } = await bash.ended;
    expect({ code, exit, stderr }).toEqual({ code, exit: 0, stderr: '' });
  }
  const lines = (await readFile(record, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => line.split('\t'));
}

/** The keys of the Secret that a container's variables need, by variable. */
function keysOf(env: readonly { name: string; valueFrom?: { secretKeyRef?: { name: string; key: string } } }[]) {
  const refs = env.flatMap(({ name, valueFrom }) => (valueFrom?.secretKeyRef ? [[name, valueFrom.secretKeyRef]] : []));
  return Object.fromEntries(refs) as Record<string, { name: string; key: string }>;
}

describe('deploy/README.md', () => {
  it('has commands that run from the first to the last, on files that are there', { timeout: 60_000 }, async () => {
    const commands = await runPage();
    const of = (...words: string[]) => commands.filter((command) => words.every((word, at) => command[at] === word));

    const image = readYaml('deploy/kubernetes-production/kustomization.yaml').images[0];
    expect(of('podman', 'push')[0]?.at(-1)).toBe(`${image.newName}:${image.newTag}`);

    // The secrets are those that the manifests and the router name, and values that the program takes.
    const [create = []] = of('kubectl', 'create', 'secret', 'generic');
    const secrets = new Map(
      create.flatMap((word) => {
        const [, key, value] = /^--from-literal=([^=]+)=(.*)$/.exec(word) ?? [];
        return key === undefined ? [] : [[key, value ?? ''] as const];
      }),
    );
    const links = readYaml('deploy/kubernetes-optional/download-links.yaml').spec.template.spec.containers[0].env;
    const { extraEnvVars } = readYaml('deploy/router-values.yaml');
    const needed = keysOf([...only('Deployment').spec.template.spec.containers[0].env, ...links]);
    expect([...secrets.keys()].toSorted()).toEqual(
      Object.values(needed)
        .map(({ key }) => key)
        .toSorted(),
    );
    expect(keysOf(extraEnvVars)).toEqual({ ROUTER_SECRET: needed.ROUTER_SECRET });
    for (const { name } of Object.values(needed)) expect(create[4]).toBe(name);
    const values = Object.entries(needed).map(([variable, { key }]) => [variable, secrets.get(key) ?? '']);
    expect(readConfig(Object.fromEntries(values))).toMatchObject({ ROUTER_SECRET: [secrets.get('router-secret')] });

    // Everything is in one namespace.
    const { namespace } = readYaml('deploy/kubernetes-production/kustomization.yaml');
    for (const command of [...of('kubectl'), ...of('helm')]) {
      if (command[2] === '-k') continue;
      if (command[2] === 'namespace') expect(command).toEqual(['kubectl', 'create', 'namespace', namespace]);
      else expect(command).toEqual(expect.arrayContaining(['-n', namespace]));
    }

    const [request = []] = of('curl');
    expect(of('kubectl', 'apply').flatMap((command) => command.filter((word) => word.startsWith('deploy/')))).toEqual([
      'deploy/my-kubernetes',
      ...['ingress', 'pod-monitor', 'scaled-object'].map((name) => `deploy/kubernetes-optional/${name}.yaml`),
    ]);
    const { query } = JSON.parse(request[request.indexOf('--json') + 1] ?? '');
    const schema = buildSchema(read('schema.graphql'), { assumeValidSDL: true });
    expect(validate(schema, parseGraphQL(query))).toEqual([]);
    expect(request).toContain('authorization: Bearer token-of-anna');
  });
});
