import { type Ending, PROJECT } from '../../../test/support/process.ts';
import { promtool, writeTemporary } from '../promql.ts';
import { type FiringAlert, healthy, type Samples, type Scenario, target } from './series.ts';

/** The file with the alerts. */
export const RULES = `${PROJECT}deploy/observability/rules.yaml`;

/**
 * Runs scenarios with the rules. Those of one length are jobs of one Prometheus, with their titles as names. The output has the alerts
 * that fire where they are not those of a scenario.
 */
export async function runScenarios(scenarios: readonly Scenario[], interval: number): Promise<Ending> {
  const byLength = Map.groupBy(scenarios, ({ minutes = 30 }) => minutes);
  const tests = [...byLength].map(([minutes, all]) => ({
    interval: `${interval}m`,
    input_series: all.flatMap(({ title: job, series }) =>
      Object.entries({ ...healthy, ...series }).flatMap(([name, samples]) =>
        samples === undefined ? [] : [{ series: withTarget(name, job), values: notation(samples, minutes / interval) }],
      ),
    ),
    promql_expr_test: [
      {
        expr: 'ALERTS{alertstate="firing"}',
        eval_time: `${minutes}m`,
        exp_samples: all.flatMap(({ title, fires }) =>
          fires.map((labels) => ({ labels: `ALERTS{${firing(labels, title)}}`, value: 1 })),
        ),
      },
    ],
  }));
  const file = { rule_files: [RULES], evaluation_interval: `${interval}m`, tests };
  // YAML includes JSON.
  return promtool(['test', 'rules', await writeTemporary('scenarios.yaml', JSON.stringify(file))]);
}

/** The labels of an alert that fires, in PromQL. */
function firing(labels: FiringAlert, title: string): string {
  const job = labels.job === target.job && { job: title };
  const all = Object.entries({ ...labels, ...job, alertstate: 'firing' });
  return all.map(([name, value]) => `${name}="${value}"`).join();
}

/** A series with the labels of the target, unless it has its own. */
function withTarget(name: string, job: string): string {
  const [, metric = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
  const added = Object.entries({ ...target, job }).filter(([label]) => !labels.includes(`${label}=`));
  return `${metric}{${[labels, ...added.map(([label, value]) => `${label}="${value}"`)].filter((part) => part !== '')}}`;
}

/** Samples as promtool writes them: `0+5x3` are 0, 5, 10 and 15; `stale` ends a series, and `_x3` are three without a sample. */
function notation({ isCounter, phases }: Samples, steps: number): string {
  let total = 0;
  let left = steps + 1;
  return phases
    .map(([value, phaseSteps], index) => {
      const count = phaseSteps ?? left;
      left -= count;
      if (Number.isNaN(value)) return index === 0 ? `_x${count}` : `stale _x${count - 1}`;
      const start = isCounter ? total : value;
      if (isCounter) total += value * count;
      return `${start}+${isCounter ? value : 0}x${count - 1}`;
    })
    .join(' ');
}
