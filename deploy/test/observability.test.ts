import { describe, expect, it } from 'vitest';
import { dashboardJson } from '../observability/grafana.ts';
import { rows } from '../observability/rows.ts';
import { read } from './files.ts';
import { documented, liveMetrics, parseMetrics, problemsOf } from './metrics.ts';
import { causes } from './observability/causes.ts';
import { objectives } from './observability/objectives.ts';
import { dashboardQueries, otherQueries, ruleQueries, rules, type Source } from './observability/queries.ts';
import { runScenarios } from './observability/scenario.ts';
import { parseQuery, promtool, writeTemporary } from './promql.ts';

const queries: readonly Source[] = [...ruleQueries(), ...dashboardQueries(), ...otherQueries()];

let printed: Promise<string> | undefined;
/** The metrics of a program in which all has happened that it counts. */
const live = () => (printed ??= liveMetrics());

describe('Each query', () => {
  it('is PromQL', async () => {
    expect(queries.length).toBeGreaterThan(120);
    for (const { query } of queries) expect(parseQuery(query).selectors.length).toBeGreaterThan(0);
    const group = { name: 'all', rules: queries.map(({ query }, index) => ({ record: `query${index}`, expr: query })) };
    const file = await writeTemporary('rules.yaml', JSON.stringify({ groups: [group] }));
    expect(await promtool(['check', 'rules', file])).toMatchObject({ code: 0, stderr: '' });
  });

  it('asks for metrics and labels that the program has', async () => {
    const metrics = parseMetrics(await live());
    const problems = queries.flatMap(({ where, query, shown }) =>
      problemsOf(query, metrics, shown).map((problem) => `${where}: ${problem}`),
    );
    expect(problems).toEqual([]);
    const bad: [query: string, problem: string][] = [
      ['graphql_operations_total', 'graphql_operations_total is no metric'],
      ['graphql_errors_total{outcome="success"}', 'graphql_errors_total has no label outcome'],
      ['sum by (job, operation) (graphql_errors_total)', 'no label operation'],
      ['nodejs_eventloop_time_seconds_total{state="busy"}', 'nodejs_eventloop_time_seconds_total has no state busy'],
    ];
    for (const [query, problem] of bad) expect(problemsOf(query, metrics)).toEqual([problem]);
  });
});

describe('The metrics of the program', () => {
  it('are as promtool wants them', async () => {
    expect(await promtool(['check', 'metrics'], await live())).toMatchObject({ code: 0, stdout: '', stderr: '' });
  });

  it('are all in docs/operations.md, and no others', async () => {
    const metrics = parseMetrics(await live());
    expect([...documented.keys()].toSorted()).toEqual([...metrics.keys()].toSorted());
    for (const [name, { type, labels }] of metrics) {
      const page = documented.get(name);
      const labelNames = [...labels.keys()].filter((label) => label !== 'le');
      expect([name, type, labelNames.toSorted()]).toEqual([
        name,
        page?.type,
        [...(page?.labels.keys() ?? [])].toSorted(),
      ]);
      for (const [label, values] of labels) {
        const unknown = [...values].filter((value) => page?.labels.get(label)?.includes(value) === false);
        expect([name, label, unknown]).toEqual([name, label, []]);
      }
    }
  });
});

describe('Each alert', () => {
  const alerts = rules.filter(({ alert }) => alert !== undefined);
  const scenarios = [...objectives, ...causes];

  it.each([1, 2, 30])(
    'fires as it should in each scenario with evaluations every %i minutes',
    { timeout: 300_000 },
    async (minutes) => {
      const some = scenarios.filter(({ interval = 1 }) => interval === minutes);
      const { code, stdout, stderr } = await runScenarios(some, minutes);
      expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
    },
  );

  it('has a section in the runbook, and each section an alert', () => {
    const [, runbook = ''] = read('docs/operations.md').split(/^## Runbook$/m);
    const sections = [...(runbook.split(/^## /m)[0] ?? '').matchAll(/^### (.*)$/gm)].map(([, title]) => title);
    expect(sections).toEqual([...new Set(alerts.map(({ alert }) => alert))]);
  });

  it('says what it is about, and links to its section', () => {
    for (const { alert = '', labels, annotations } of alerts) {
      expect({ alert, labels, annotations }).toEqual({
        alert,
        labels: { severity: expect.stringMatching(/^(page|ticket)$/) },
        annotations: {
          summary: expect.stringMatching(/.\.$/),
          description: expect.stringMatching(/.\.$/),
          // A release makes a URL of it: see release.test.ts.
          runbook: `docs/operations.md#${alert.toLowerCase()}`,
        },
      });
    }
  });

  it('fires in a scenario, with the labels that its texts have', () => {
    for (const { alert, labels, annotations = {} } of alerts) {
      const fired = scenarios
        .flatMap(({ fires }) => fires)
        .filter(({ alertname, severity }) => alertname === alert && severity === labels?.severity);
      expect([alert, labels, fired.length > 0]).toEqual([alert, labels, true]);
      const used = [
        ...Object.values(annotations)
          .join()
          .matchAll(/\$labels\.(\w+)/g),
      ].map(([, label = '']) => label);
      for (const its of fired) expect(Object.keys(its)).toEqual(expect.arrayContaining(used));
    }
  });
});

describe('The dashboard', () => {
  it('is up to date; npm run dashboard writes it', () => {
    expect(read('deploy/observability/dashboard.json')).toBe(dashboardJson('Dataset subgraph', rows));
  });

  it('shows every metric', () => {
    const used = dashboardQueries().flatMap(({ query }) => parseQuery(query).selectors.map(({ metric }) => metric));
    const shown = new Set(used.map((metric) => metric.replace(/_(bucket|sum|count)$/, '')));
    expect([...documented.keys()].filter((metric) => !shown.has(metric))).toEqual([]);
  });
});
