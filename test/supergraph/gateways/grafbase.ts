import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isTested, linuxOnX64 } from '../../support/left-out.ts';
import { startGuarded } from '../../support/process.ts';
import { PROGRAMS } from '../programs/folder.ts';
import type { Gateway, Supergraph } from './gateway.ts';

const PROGRAM = join(PROGRAMS, 'node_modules/@grafbase/cli-x86_64-unknown-linux-musl/grafbase');

/** Grafbase Gateway (Rust), run by its command line tool. It composes the supergraph itself. */
export const grafbase: Gateway = {
  name: 'Grafbase',
  // The registry has only this build of this version.
  runsHere: isTested('the gateway Grafbase', linuxOnX64),
  habits: {
    clientDisconnects: 'end',
    entityErrors: 'has its list index',
    missingEntity: 'the first field is null, and may be repeated instead of the others',
    requiresMissing: 'no request to that subgraph',
    requiresFailing: 'null',
    invalidVariable: '`BAD_USER_INPUT` with the original message',
    invalidLiteral: '`BAD_USER_INPUT` with the original message',
    refused: '`SUBGRAPH_REQUEST_ERROR` without the original message',
    nothingFetched: 'has `data` with null',
    serviceName: 'no',
    listDefault: '`OPERATION_VALIDATION_ERROR`',
  },
  start: (supergraph, port) => {
    const where = ['--config', writeConfig(supergraph), '--listen-address', `127.0.0.1:${port}`];
    return startGuarded(PROGRAM, ['--home', supergraph.folder, 'dev', ...where], { cwd: supergraph.folder });
  },
};

type Composed = Pick<Supergraph, 'subgraphs' | 'folder'>;

/** Composes a supergraph. Returns the exit code of the program, and what it has printed. */
export async function composeByGrafbase(supergraph: Composed): Promise<{ code: number | null; output: string }> {
  const args = ['--home', supergraph.folder, 'compose', '--config', writeConfig(supergraph)];
  const { code, stdout, stderr } = await startGuarded(PROGRAM, args, { cwd: supergraph.folder }).ended;
  return { code, output: `${stdout}${stderr}` };
}

/** Writes the configuration into the folder. Returns its path. */
function writeConfig({ subgraphs, folder }: Composed): string {
  const config = join(folder, 'grafbase.toml');
  const sections = subgraphs.map(({ name, url, schemaFile }) =>
    [`[subgraphs.${name}]`, `url = ${JSON.stringify(url)}`, `schema_path = ${JSON.stringify(schemaFile)}`].join('\n'),
  );
  writeFileSync(config, ['[[headers]]\nrule = "forward"\nname = "authorization"', ...sections, ''].join('\n\n'));
  return config;
}
