import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTested, linuxOnX64 } from '../../support/left-out.ts';
import { PROJECT, startGuarded } from '../../support/process.ts';
import { SECRET } from '../data.ts';
import { PROGRAMS } from '../programs/folder.ts';
import type { Gateway, Supergraph } from './gateways.ts';

const PROGRAM = join(PROGRAMS, 'node_modules/@grafbase/cli-x86_64-unknown-linux-musl/grafbase');

/** Grafbase Gateway (Rust), run by its command line tool. It composes the supergraph itself. */
export const grafbase: Gateway = {
  name: 'Grafbase',
  // The registry has only this build of this version.
  runsHere: isTested('the gateway Grafbase', linuxOnX64),
  habits: {
    clientDisconnects: 'end',
    entityErrors: 'has its index',
    missingEntity: 'only its first field, null, perhaps twice',
    refused: '`SUBGRAPH_REQUEST_ERROR`',
    invalidLiteral: '`BAD_USER_INPUT`',
    signs: { missing: null, failing: 'null, version null' },
    omitsServiceName: true,
    refusesListDefault: true,
  },
  start: (supergraph, port) => run(supergraph, 'dev', '--listen-address', `127.0.0.1:${port}`),
};

type Composed = Pick<Supergraph, 'subgraphs' | 'folder'>;

/** Composes a supergraph. Returns the exit code of the program, and what it has printed. */
export async function composeByGrafbase(supergraph: Composed): Promise<{ code: number | null; output: string }> {
  const { code, stdout, stderr } = await run(supergraph, 'compose').ended;
  return { code, output: `${stdout}${stderr}` };
}

/** Runs it with the configuration of `deploy/`, to which the other subgraphs are added. */
function run({ subgraphs, folder }: Composed, command: string, ...options: string[]) {
  const sections = subgraphs.map(({ name, url, schemaFile }) =>
    name === 'dataset'
      ? readFileSync(`${PROJECT}deploy/grafbase.toml`, 'utf8')
          .replace('http://dataset-subgraph:4000/graphql', url)
          .replace('../schema.graphql', schemaFile)
      : `[subgraphs.${name}]\nurl = "${url}"\nschema_path = "${schemaFile}"\n`,
  );
  const config = join(folder, 'grafbase.toml');
  writeFileSync(config, sections.join('\n'));
  const args = ['--home', folder, command, '--config', config, ...options];
  return startGuarded(PROGRAM, args, { cwd: folder, env: { ROUTER_SECRET: SECRET } });
}
