import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { gateways } from '../supergraph/gateways/gateways.ts';
import { neighbours } from '../supergraph/neighbours/neighbours.ts';
import { blocksOf, rowsOf } from '../support/doc-blocks.ts';

describe('docs/federation.md', () => {
  const path = 'docs/federation.md';
  const document = readFileSync(path, 'utf8');

  it('shows subgraphs that the tests run', () => {
    const shown = blocksOf(path).flatMap(({ language, code }) => (language === 'graphql' ? [`\n${code}`] : []));
    const run = neighbours.map(({ sdl }) => sdl);
    expect(shown).toHaveLength(3);
    expect(shown.filter((code) => !run.includes(code))).toEqual([]);
  });

  it('has the differences between gateways that matter to clients', () => {
    const shown = ['clientDisconnects', 'entityErrors', 'missingEntity', 'refused', 'invalidLiteral'] as const;
    expect(rowsOf(path, 'what').map(([, ...row]) => row)).toEqual(
      shown.map((name) => gateways.map(({ habits }) => habits[name])),
    );
  });

  it('has the versions of the gateways', () => {
    const packages = JSON.parse(readFileSync('test/supergraph/programs/package.json', 'utf8'));
    const { graphql: _, ...versions } = { ...packages.dependencies, ...packages.optionalDependencies };
    for (const [name, version] of Object.entries(versions)) expect(document).toContain(`\`${name}\` ${version}`);
  });

  it('counts the audits, and those that are not passed', () => {
    const page = 'test/conformance/audits.md';
    const failed = rowsOf(page, 'audit', 'kind').map(([, kind]) => kind);
    expect(failed.toSorted()).toEqual([...Array(3).fill('MAY'), ...Array(3).fill('SHOULD')]);
    expect(document).toMatch(/no MUST of the 61 audits of [^,]*, three SHOULD and three MAY\b/);
    expect(readFileSync(page, 'utf8')).toContain('13 MUST, 23 SHOULD, 25 MAY');
  });
});
