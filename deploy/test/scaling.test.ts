import { describe, expect, it } from 'vitest';
import { withTables } from '../scaling-tables.ts';
import { read } from './files.ts';
import { problemsOf, scrape } from './metrics.ts';
import { expectValue, queriesOf } from './promql.ts';

const page = read('docs/scaling.md');

/** The queries of the page: those in blocks, and the code in its text that has the name of a metric. */
const queries = [
  ...queriesOf('docs/scaling.md'),
  ...[...page.matchAll(/(?<=[^`])`([^`\n]*\b(?:graphql|http|nodejs|process|rest)_[^`\n]*)`/g)].map(
    ([, code = '']) => code,
  ),
];

/** The lines of results. */
const results = [
  '| work | contestant | responses/s | p99 ms | peak MB above idle | CPU ms/response | REST calls |',
  '| metadata | ordinary subgraph | 1 | 9 | 9 | 9 | 9 |',
  '| metadata | this subgraph | 1 | 1 | 1 | 0.5 | 1 |',
  '| 10x10x3 and metadata | this subgraph | 1 | 1 | 1 | 2 | 2 |',
  '| 200x50x5 | this subgraph | 1 | 1 | 1 | 20 | 1 |',
  '| 1000x365x3 | this subgraph | 1 | 1 | 136.6 | 300 | 1 |',
];

describe('docs/scaling.md', () => {
  it('has the figures of the last benchmark; npm run scaling updates them', () => {
    expect(page).toBe(withTables(page, read('bench/RESULTS.md')));
  });

  it('computes the table', () => {
    const tables = withTables(page, results.join('\n'));
    // 1000 / 0.5 ms, of which 60 %; 0.8 * 0.5 ms + 0.19 * 2 ms + 0.01 * 20 ms = 0.98 ms.
    expect(tables).toContain('| metadata | 0.5 ms | 1,200 | 1 | 1 kB |\n');
    expect(tables).toMatch(/\| mixture: .* \| 0\.98 ms \| 612 \| 1\.2 \| 32 kB \|\n/);
    // 2 times 68.3 MB, and 2 times 268 MB.
    expect(tables).toContain('is 137 MB above the idle process: 2 times its REST body of\n68 MB.');
    expect(tables).toContain('(268 MB) takes the same multiple, 537 MB.\n');
    expect(() => withTables(page, results.slice(0, -1).join('\n'))).toThrow(
      'The results have no "CPU ms/response" for "1000x365x3".',
    );
  });

  it('has queries for metrics of the subgraph', async () => {
    expect(queries.length).toBeGreaterThan(10);
    const metrics = await scrape('/metrics');
    expect(queries.flatMap((query) => problemsOf(query, metrics))).toEqual([]);
    const reasons = metrics.get('http_server_requests_rejected_total')?.labels.get('reason');
    const named = page.match(/`max_\w+`/g) ?? [];
    expect(named).toHaveLength(3);
    for (const reason of named) expect(reasons).toContain(reason.replaceAll('`', ''));
  });

  it('computes replicas from the time in which event loops are active', async () => {
    const query = queries.find((each) => each.startsWith('ceil(')) ?? '';
    const loop = (instance: string, job = 'dataset-subgraph') =>
      `nodejs_eventloop_time_seconds_total{job="${job}", instance="${instance}", state="active"}`;
    // 0.8 + 0.8 of a second in each second take 2.67 replicas at 60 %.
    await expectValue(query, { [loop('a')]: '0+12x20', [loop('b')]: '0+12x20', [loop('c', 'other')]: '0+15x20' }, 3);
    await expectValue(query, { [loop('a')]: '0+9x20', [loop('b')]: '0+8x20' }, 2);
  });
});
