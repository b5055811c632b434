import { fileURLToPath } from 'node:url';

/** This folder, with a slash at the end: the programs, settings and packages of the gateways. */
export const PROGRAMS = fileURLToPath(new URL('.', import.meta.url));
