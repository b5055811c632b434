import { type Ending, PROJECT } from '../../../test/support/process.ts';
import { promtool, writeTemporary } from '../promql.ts';
import { healthy, type Samples, type Scenario, target } from './series.ts';

/** The file with the alerts. */
export const RULES = `${PROJECT}deploy/observability/rules.yaml`;

/** Runs scenarios with the rules. The output has the alerts that fire where they are not those of a scenario, with its title. */
export async function runScenarios(scenarios: readonly Scenario[], interval: number): Promise<Ending> {
  const tests = scenarios.map(({ title, minutes = 30, series, fires }) => ({
    name: title,
    interval: `${interval}m`,
    input_series: Object.entries({ ...healthy, ...series }).flatMap(([name, samples]) =>
      samples === undefined ? [] : [{ series: withTarget(name), values: notation(samples, minutes / interval) }],
    ),
    promql_expr_test: [
      {
        expr: 'ALERTS{alertstate="firing"}',
        eval_time: `${minutes}m`,
        exp_samples: fires.map((labels) => ({
          labels: `ALERTS${asMatchers({ ...labels, alertstate: 'firing' })}`,
          value: 1,
        })),
      },
    ],
  }));
  const file = { rule_files: [RULES], evaluation_interval: `${interval}m`, tests };
  // YAML includes JSON.
  return promtool(['test', 'rules', await writeTemporary('scenarios.yaml', JSON.stringify(file))]);
}

function asMatchers(labels: Readonly<Record<string, string>>): string {
  return `{${Object.entries(labels).map(([name, value]) => `${name}="${value}"`)}}`;
}

/** A series with the labels of the target, unless it has its own. */
function withTarget(name: string): string {
  const [, metric = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
  const added = Object.entries(target).filter(([label]) => !labels.includes(`${label}=`));
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
