import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cruise, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';

/** The folders with sources. */
export const sourceFolders = ['src', 'engine', 'ask', 'explorer', 'files', 'simulator'];

/** The modules in these folders of another one with what they import, and the imports that break a rule. */
export async function cruiseSources(forbidden: IForbiddenRuleType[], baseDir = process.cwd()): Promise<ICruiseResult> {
  const { output } = await cruise(
    sourceFolders.filter((folder) => existsSync(join(baseDir, folder))),
    {
      baseDir,
      // TypeScript 7 has no compiler API, and swc reads type-only imports as well.
      parser: 'swc',
      tsPreCompilationDeps: true,
      doNotFollow: { path: 'node_modules' },
      exclude: { path: '/test/|/vitest.config.ts$' },
      validate: true,
      ruleSet: { forbidden },
    },
    { exportsFields: ['exports'], conditionNames: ['import', 'require', 'node', 'default', 'types'] },
  );
  if (typeof output === 'string') throw new Error(output);
  return output;
}

/** The violations of a result, each in one line. */
export function violationsOf({ summary }: ICruiseResult): string[] {
  return summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
}
