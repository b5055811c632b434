// Writes the Grafana dashboard: `npm run dashboard`. A release writes it elsewhere, with a link to its runbook.
import { writeFile } from 'node:fs/promises';
import { dashboardJson } from './grafana.ts';
import { rows } from './rows.ts';

const [file = new URL('dashboard.json', import.meta.url), runbook] = process.argv.slice(2);
await writeFile(file, dashboardJson('Dataset subgraph', rows, runbook));
