import { describe, expect, it } from 'vitest';
import { causes } from './observability/causes.ts';
import { objectives } from './observability/objectives.ts';
import { RULES, runScenario } from './observability/scenario.ts';
import { promtool } from './promql.ts';

describe('The alerts', () => {
  it('are valid rules', async () => {
    expect(await promtool(['check', 'rules', RULES])).toMatchObject({ code: 0, stderr: '' });
  });

  it.each([...objectives, ...causes])('fire as they should: $title', async (scenario) => {
    const { code, stdout, stderr } = await runScenario(scenario);
    expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
  });
});
