/** A query of Prometheus, and the legend of its series. */
export type Query = readonly [expression: string, legend: string];

/** A panel of the dashboard. */
export interface Panel {
  readonly title: string;
  readonly description: string;
  /** A unit of Grafana, for example `s` or `reqps`. */
  readonly unit: string;
  readonly queries: readonly Query[];
  /** Default: `lines`. `areas` lie on each other; `number` is the last value. */
  readonly show?: 'lines' | 'areas' | 'number';
  /** Where values become a warning. */
  readonly threshold?: number;
}

/** A row of the dashboard. */
export interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

const WIDTH = 24;
const sizes = { number: { w: 4, h: 4 }, lines: { w: 8, h: 8 }, areas: { w: 8, h: 8 } };

// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana
const datasource = { type: 'prometheus', uid: '${datasource}' };

/**
 * The dashboard as JSON for Grafana 12 (schema version 42) and newer.
 * @param runbook the URL of the page to which it links
 */
export function dashboardJson(title: string, rows: readonly Row[], runbook?: string): string {
  const dashboard = {
    uid: 'dataset-subgraph',
    title,
    description: 'Made by `npm run dashboard` from deploy/observability/rows.ts.',
    tags: ['dataset-subgraph', 'graphql'],
    schemaVersion: 42,
    version: 1,
    editable: true,
    graphTooltip: 1,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    timezone: 'browser',
    annotations: { list: [alertAnnotation] },
    templating: { list: variables },
    links:
      runbook === undefined ? [] : [{ title: 'Runbook', type: 'link', icon: 'doc', targetBlank: true, url: runbook }],
    panels: layOut(rows),
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}

/** Marks the times at which an alert of rules.yaml fires. */
const alertAnnotation = {
  name: 'Alerts',
  datasource,
  enable: true,
  iconColor: 'red',
  expr: 'ALERTS{alertname=~"DatasetSubgraph.+", alertstate="firing", namespace=~"$namespace|", job=~"$job|"}',
  step: '60s',
  titleFormat: '{{alertname}}',
  textFormat: '{{severity}} {{instance}} {{operation}} {{cause}}',
};

const variables = [
  { name: 'datasource', label: 'Data source', type: 'datasource', query: 'prometheus' },
  { ...variable('namespace', 'label_values(dataset_subgraph_info, namespace)'), label: 'Namespace', ...several('.*') },
  { ...variable('job', 'label_values(dataset_subgraph_info{namespace=~"$namespace"}, job)'), label: 'Job' },
  {
    ...variable('instance', 'label_values(dataset_subgraph_info{namespace=~"$namespace", job="$job"}, instance)'),
    label: 'Replica',
    ...several('.+'),
  },
];

function variable(name: string, definition: string): object {
  const query = { query: definition, refId: name };
  // 2: whenever the time range changes.
  return { name, type: 'query', datasource, definition, query, refresh: 2, sort: 1 };
}

/** Several values may be chosen. @param all matches all of them */
function several(all: string): object {
  return { multi: true, includeAll: true, allValue: all, current: { text: ['All'], value: ['$__all'] } };
}

/** Puts the panels of each row next to each other. */
function layOut(rows: readonly Row[]): object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: inRow } of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title,
      collapsed: false,
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
      panels: [],
    });
    y += 1;
    let x = 0;
    let height = 0;
    for (const panel of inRow) {
      const { w, h } = sizes[panel.show ?? 'lines'];
      if (x + w > WIDTH) {
        x = 0;
        y += height;
      }
      panels.push({ id: panels.length + 1, gridPos: { x, y, w, h }, ...content(panel) });
      x += w;
      height = h;
    }
    y += height;
  }
  return panels;
}

function content({ title, description, unit, queries, show = 'lines', threshold }: Panel): object {
  const targets = queries.map(([expr, legendFormat], index) => ({
    refId: String.fromCharCode('A'.charCodeAt(0) + index),
    datasource,
    editorMode: 'code',
    range: true,
    expr,
    legendFormat,
  }));
  const steps = [
    { color: 'green', value: null },
    ...(threshold === undefined ? [] : [{ color: 'red', value: threshold }]),
  ];
  const defaults = { unit, min: 0, thresholds: { mode: 'absolute', steps } };
  if (show === 'number') {
    return {
      type: 'stat',
      ...{ title, description, datasource, targets },
      fieldConfig: { defaults: { ...defaults, color: { mode: 'thresholds' } }, overrides: [] },
      options: {
        reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false },
        graphMode: 'area',
        colorMode: 'value',
      },
    };
  }
  const custom = {
    drawStyle: 'line',
    lineWidth: 1,
    fillOpacity: show === 'areas' ? 30 : 5,
    showPoints: 'never',
    spanNulls: false,
    stacking: { mode: show === 'areas' ? 'normal' : 'none', group: 'A' },
    thresholdsStyle: { mode: threshold === undefined ? 'off' : 'dashed' },
  };
  return {
    type: 'timeseries',
    ...{ title, description, datasource, targets },
    fieldConfig: { defaults: { ...defaults, color: { mode: 'palette-classic' }, custom }, overrides: [] },
    options: {
      legend: { displayMode: 'list', placement: 'bottom', showLegend: true, calcs: [] },
      tooltip: { mode: 'multi', sort: 'desc' },
    },
  };
}
