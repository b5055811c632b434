import { readFileSync } from 'node:fs';

const containerfile = readFileSync(new URL('Containerfile', import.meta.url), 'utf8');

/** The image's environment variables for the memory allocator, so that the benchmark measures the shipped settings. */
export const imageSettings: Readonly<Record<string, string>> = Object.fromEntries(
  [...containerfile.matchAll(/\b(MALLOC_\w+)=(\d+)/g)].map(([, name, value]) => [name, value]),
);
