// Writes the Grafana dashboard: `npm run dashboard`.
import { writeFile } from 'node:fs/promises';
import { dashboardJson } from './grafana.ts';
import { rows } from './rows.ts';

await writeFile(new URL('dashboard.json', import.meta.url), dashboardJson('Dataset subgraph', rows));
