import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startGuarded } from '../../process.ts';
import { PROGRAMS } from '../programs/folder.ts';
import type { Gateway } from './gateway.ts';

/** Grafbase Gateway (Rust), run by its command line tool. It composes the supergraph itself. */
export const grafbase: Gateway = {
  name: 'Grafbase',
  // The registry has only this build of this version.
  runsHere: process.platform === 'linux' && process.arch === 'x64',
  habits: {
    clientDisconnects: 'end',
    entityErrors: 'has its list index',
    missingEntity: 'the first field is null, and may be repeated instead of the others',
    requiresMissing: 'no request to that subgraph',
    requiresFailing: 'null',
    invalidVariable: '`BAD_USER_INPUT` with the original message',
    invalidLiteral: '`BAD_USER_INPUT` with the original message',
    nothingFetched: 'has `data` with null',
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
