import { fileURLToPath } from 'node:url';

/** This folder: the programs and settings of the gateways, and their packages. It ends with a slash. */
export const PROGRAMS = fileURLToPath(new URL('.', import.meta.url));
