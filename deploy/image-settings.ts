import { readFileSync } from 'node:fs';

const containerfile = readFileSync(new URL('Containerfile', import.meta.url), 'utf8');

/** How the C library allocates memory in the image, as environment variables: what is measured is to be what is shipped. */
export const imageSettings: Readonly<Record<string, string>> = Object.fromEntries(
  [...containerfile.matchAll(/\b(MALLOC_\w+)=(\d+)/g)].map(([, name, value]) => [name, value]),
);
