import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

// The program that bundles GraphiQL's page into the directory that its argument names. To the program that has started
// it, if there is one that listens, it tells the number of modules read so far.

const [, , directory] = process.argv;
if (directory === undefined) throw new TypeError('The directory to write to is missing.');

/** How many modules are read between two reports. */
const MODULES_PER_REPORT = 100;

let modules = 0;
// Nobody waits for the page any more.
const abandon = () => process.exit(1);
process.once('disconnect', abandon);
// What an earlier build has left there is not part of this one.
await rm(directory, { recursive: true, force: true });
await build({
  configFile: false,
  root: fileURLToPath(new URL('./page/', import.meta.url)),
  base: '/graphiql/',
  publicDir: false,
  logLevel: 'error',
  // The scripts of Monaco's workers import one another.
  worker: { format: 'es' },
  build: {
    outDir: resolve(directory),
    target: 'es2023',
    // The bundle passes on code of others; their licences ask that their notices go with it.
    license: { fileName: 'licenses.md' },
    reportCompressedSize: false,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
  },
  plugins: [
    {
      name: 'progress',
      transform: () => {
        modules++;
        if (modules % MODULES_PER_REPORT === 0) process.send?.({ modules });
      },
    },
  ],
});
process.off('disconnect', abandon);
if (process.connected) process.disconnect();
