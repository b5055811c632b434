import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { isAbsolute, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type Plugin } from 'vite';
import { tokens } from './tokens.ts';

// Bundles GraphiQL's page into the directory given as its argument, and compresses its scripts and styles. It reports the number of modules read so far to its
// parent process, if that listens, and at the end the digests of all files on which the page depends.

const [, , directory] = process.argv;
if (directory === undefined) throw new TypeError('The directory to write to is missing.');

/** The number of modules between two reports. */
const MODULES_PER_REPORT = 100;

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = fileURLToPath(new URL('../page/', import.meta.url));

/** The digests of the files, by their paths from the root. */
const sources: Record<string, string> = {};

/** Adds a file. Before the bundler reads it: if the file changes meanwhile, its digest is of the earlier content. */
function addSource(file: string): void {
  sources[relative(root, file)] ??= hash('sha256', readFileSync(file));
}

const collectSources: Plugin = {
  name: 'sources',
  enforce: 'pre',
  load(id) {
    const [file = ''] = id.split('?');
    if (isAbsolute(file) && !file.includes('node_modules')) addSource(file);
  },
};

let modules = 0;
// The parent process has ended: nobody needs the page.
const abandon = () => process.exit(1);
process.once('disconnect', abandon);
if (process.connected) {
  const others = ['package-lock.json', 'tsconfig.json', 'explorer/page/tsconfig.json', 'explorer/page/index.html'];
  for (const file of [import.meta.filename, ...others.map((name) => join(root, name))]) addSource(file);
}
// Remove the files of an earlier build.
await rm(directory, { recursive: true, force: true });
await build({
  configFile: false,
  root: page,
  base: '/graphiql/',
  publicDir: false,
  logLevel: 'error',
  // The worker scripts of Monaco import shared chunks.
  worker: { format: 'es', plugins: () => [collectSources] },
  build: {
    outDir: resolve(directory),
    target: 'es2023',
    // The bundle has packages whose licences require their notices.
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
  },
  plugins: [
    collectSources,
    {
      name: 'tokens',
      // Before the style sheets that use them.
      transformIndexHtml: () => [{ tag: 'style', children: tokens, injectTo: 'head-prepend' }],
    },
    {
      name: 'progress',
      transform: () => {
        modules++;
        if (modules % MODULES_PER_REPORT === 0) process.send?.({ modules });
      },
    },
  ],
});
// The server sends these to browsers, which all take gzip.
for (const file of globSync('assets/*.{js,css}', { cwd: directory })) {
  const path = join(directory, file);
  await writeFile(`${path}.gz`, gzipSync(await readFile(path), { level: 9 }));
}
process.off('disconnect', abandon);
if (process.connected) process.send?.({ sources }, () => process.disconnect());
