import { graphQueries } from '../../observability/graphs.ts';
import { read, readYaml } from '../files.ts';
import { queriesOf } from '../promql.ts';

/** A query, and where it stands. */
export interface Source {
  readonly where: string;
  readonly query: string;
  /** The labels in the legend of its graph, or in the texts of its alert. */
  readonly shown?: readonly string[];
}

/** A rule of rules.yaml. */
export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: { readonly severity?: string };
  readonly annotations?: Readonly<Record<string, string>>;
}

/** All rules of rules.yaml. */
export const rules: readonly Rule[] = readYaml('deploy/observability/rules.yaml').groups.flatMap(
  ({ rules }: { rules: Rule[] }) => rules,
);

/** All queries of the rules. */
export function ruleQueries(): Source[] {
  return rules.map(({ record, alert, expr, annotations = {} }) => ({
    where: `rules.yaml: ${record ?? alert}`,
    query: expr,
    shown: labelsIn(Object.values(annotations).join(), /\$labels\.(\w+)/g),
  }));
}

/** All queries of the dashboard, with values in place of its variables. */
export function dashboardQueries(): Source[] {
  const { panels, annotations, templating } = JSON.parse(read('deploy/observability/dashboard.json'));
  const ofPanels = panels.flatMap(({ title, targets = [] }: { title: string; targets?: Target[] }) =>
    targets.map(({ expr, legendFormat }) => ({
      where: `dashboard: ${title}`,
      query: expr,
      shown: labelsIn(legendFormat, /\{\{(\w+)\}\}/g),
    })),
  );
  const ofVariables = templating.list.flatMap(({ name, definition }: { name: string; definition?: string }) => {
    const [, query, label = ''] = /^label_values\((.*), (\w+)\)$/.exec(definition ?? '') ?? [];
    return query === undefined ? [] : [{ where: `dashboard: $${name}`, query, shown: [label] }];
  });
  const ofAlerts = annotations.list.map(({ expr }: Target) => ({ where: 'dashboard: alerts', query: expr }));
  return [...ofPanels, ...ofVariables, ...ofAlerts].map((source: Source) => ({
    ...source,
    query: source.query.replaceAll('$__rate_interval', '5m').replaceAll(/\$(namespace|job|instance)/g, '.+'),
  }));
}

/** All queries of docs/operations.md, and of the demo's graphs. */
export function otherQueries(): Source[] {
  const ofPage = queriesOf('docs/operations.md');
  return [
    ...ofPage.map((query) => ({ where: 'docs/operations.md', query })),
    ...graphQueries.map((query) => ({ where: 'graphs.ts', query })),
  ];
}

interface Target {
  readonly expr: string;
  readonly legendFormat: string;
}

function labelsIn(text: string, pattern: RegExp): string[] {
  return [...text.matchAll(pattern)].map(([, label = '']) => label);
}
