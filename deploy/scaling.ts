// Updates the table of docs/scaling.md from the figures of bench/RESULTS.md.
import { readFile, writeFile } from 'node:fs/promises';
import { withTables } from './scaling-tables.ts';

const page = new URL('../docs/scaling.md', import.meta.url);
const results = await readFile(new URL('../bench/RESULTS.md', import.meta.url), 'utf8');
await writeFile(page, withTables(await readFile(page, 'utf8'), results));
