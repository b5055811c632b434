import { describe, expect, it } from 'vitest';
import { dashboardJson } from '../observability/grafana.ts';
import { rows } from '../observability/rows.ts';
import { read } from './files.ts';
import { documented, liveMetrics, parseMetrics, problemsOf } from './metrics.ts';
import { causes } from './observability/causes.ts';
import { objectives } from './observability/objectives.ts';
import { dashboardQueries, otherQueries, ruleQueries, rules, type Source } from './observability/queries.ts';
import { parseQuery, promtool, writeTemporary } from './promql.ts';

const queries: readonly Source[] = [...ruleQueries(), ...dashboardQueries(), ...otherQueries()];

describe('Each query', () => {
  it('is PromQL, for the grammar', () => {
    expect(queries.length).toBeGreaterThan(120);
    for (const { query } of queries) expect(parseQuery(query).selectors.length).toBeGreaterThan(0);
    for (const query of ['sum(rate(up[5m])', 'up{job=api}', 'nothing(up)']) {
      expect(() => parseQuery(query)).toThrow('not PromQL');
    }
  });

  it('is PromQL, for Prometheus', async () => {
    const check = async (all: readonly string[]) => {
      const group = { name: 'all', rules: all.map((expr, index) => ({ record: `query${index}`, expr })) };
      return promtool(['check', 'rules', await writeTemporary('rules.yaml', JSON.stringify({ groups: [group] }))]);
    };
    expect(await check(queries.map(({ query }) => query))).toMatchObject({ code: 0, stderr: '' });
    expect(await check(['rate(up)'])).toMatchObject({ code: 1 });
  });

  it('asks for metrics and labels that the program has', async () => {
    const live = parseMetrics(await liveMetrics());
    const problems = queries.flatMap(({ where, query, shown }) =>
      problemsOf(query, live, shown).map((problem) => `${where}: ${problem}`),
    );
    expect(problems).toEqual([]);
    const bad: [query: string, problem: string][] = [
      ['graphql_operations_total', 'graphql_operations_total is no metric'],
      ['graphql_operation_duration_seconds', 'graphql_operation_duration_seconds is no metric'],
      ['graphql_errors_total{outcome="success"}', 'graphql_errors_total has no label outcome'],
      [
        'http_server_requests_rejected_total{reason=~"max_operations|max"}',
        'http_server_requests_rejected_total has no reason max',
      ],
      ['sum by (job, operation) (graphql_errors_total)', 'no label operation'],
      ['nodejs_eventloop_time_seconds_total{state="busy"}', 'nodejs_eventloop_time_seconds_total has no state busy'],
    ];
    for (const [query, problem] of bad) expect(problemsOf(query, live)).toEqual([problem]);
  });
});

describe('The metrics of the program', () => {
  it('are as promtool wants them', async () => {
    const text = await liveMetrics();
    expect(await promtool(['check', 'metrics'], text)).toMatchObject({ code: 0, stdout: '', stderr: '' });
    expect(await promtool(['check', 'metrics'], '# TYPE requests counter\nrequests 1\n')).not.toMatchObject({
      code: 0,
    });
  });

  it('are all in docs/operations.md, and no others', async () => {
    const live = parseMetrics(await liveMetrics());
    expect([...documented.keys()].toSorted()).toEqual([...live.keys()].toSorted());
    for (const [name, { type, labels }] of live) {
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

  it('has panels that do not overlap, each with an id of its own', () => {
    const { panels } = JSON.parse(read('deploy/observability/dashboard.json'));
    const cells = new Set<string>();
    for (const { id, gridPos } of panels) {
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1) {
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect([id, x < 24, cells.has(`${x},${y}`)]).toEqual([id, true, false]);
          cells.add(`${x},${y}`);
        }
      }
    }
    expect(new Set(panels.map(({ id }: { id: number }) => id)).size).toBe(panels.length);
  });
});
