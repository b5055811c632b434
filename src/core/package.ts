import { readFileSync } from 'node:fs';

/** The folder of the package. A checkout has the sources in `src/`, and a package has in `dist/src/` what is compiled from them. */
export const packageRoot = new URL(import.meta.url.endsWith('.ts') ? '../../' : '../../../', import.meta.url);

/** The version of the package. */
export const packageVersion: string = JSON.parse(readFileSync(new URL('package.json', packageRoot), 'utf8')).version;
