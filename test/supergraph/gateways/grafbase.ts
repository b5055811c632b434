import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGuarded } from '../../process.ts';
import { PROGRAMS } from '../programs/folder.ts';
import type { Gateway } from './gateway.ts';

/** Grafbase's gateway in Rust, as its command line tool runs it. It composes by itself. */
export const grafbase: Gateway = {
  name: 'Grafbase',
  // The registry has no other build of this version.
  runsHere: process.platform === 'linux' && process.arch === 'x64',
  habits: {
    clientLeaves: 'they end',
    entityErrors: 'with its place in the list',
    missingEntity: 'the first field is null, and may stand in place of the others',
    requiresMissing: 'it is not asked',
    requiresFailing: 'null',
    refusedVariable: '`BAD_USER_INPUT`, with our message',
    refusedLiteral: '`BAD_USER_INPUT`, with our message',
    nothingFetched: '`data`, with null',
    serviceName: 'no',
  },
  start: ({ subgraphs, folder }, port) => {
    const config = join(folder, 'grafbase.toml');
    const sections = subgraphs.map(({ name, url, schemaFile }) =>
      [`[subgraphs.${name}]`, `url = ${JSON.stringify(url)}`, `schema_path = ${JSON.stringify(schemaFile)}`].join('\n'),
    );
    writeFileSync(config, ['[[headers]]\nrule = "forward"\nname = "authorization"', ...sections, ''].join('\n\n'));
    const program = join(PROGRAMS, 'node_modules/@grafbase/cli-x86_64-unknown-linux-musl/grafbase');
    const where = ['--config', config, '--listen-address', `127.0.0.1:${port}`];
    return startGuarded(program, ['--home', folder, 'dev', ...where], { cwd: folder });
  },
};
