import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { audits, auditsPage, exceptions } from '../conformance/exceptions.ts';
import { gateways } from '../supergraph/gateways/gateways.ts';
import { MEASUREMENTS, pageOfSameFigures } from '../supergraph/measurements.ts';
import { hazardsOf } from '../supergraph/neighbours/hazards.ts';
import { neighbourSubgraphs } from '../supergraph/neighbours/neighbours.ts';
import { tablesPage } from '../supergraph/tables-page.ts';
import { blocksOf, rowsOf } from '../support/doc-blocks.ts';

describe('docs/federation.md', () => {
  const path = 'docs/federation.md';
  const document = readFileSync(path, 'utf8');

  it('shows subgraphs that the tests run', () => {
    const shown = blocksOf(path).flatMap(({ language, code }) => (language === 'graphql' ? [`\n${code}`] : []));
    const run = neighbourSubgraphs.map(({ sdl }) => sdl);
    expect(shown).toHaveLength(3);
    expect(shown.filter((code) => !run.includes(code))).toEqual([]);
  });

  it('shows subgraphs that cannot hurt their clients', () => {
    const shown = blocksOf(path).filter(({ language }) => language === 'graphql');
    expect(shown.flatMap(({ code }) => hazardsOf(code))).toEqual([]);
  });

  it('has the differences between gateways that matter to clients, in short', () => {
    const short: Readonly<Record<string, string>> = {
      'run on, up to the deadlines of the subgraph': 'run on until the deadlines',
      'has its list index': 'has its index',
      'comes for each field, with a wrong list index or none': 'for each field, index wrong or missing',
      'each field is null': 'nulls',
      'the first field is null, and may be repeated instead of the others': 'only its first field, null, perhaps twice',
    };
    const brief = (habit: string) =>
      short[habit] ??
      habit
        .replace(/ with(out)? the original message$/, '')
        .replace(' with the whole response and the URL of the subgraph', ", with the subgraph's URL");
    const shown = ['clientDisconnects', 'entityErrors', 'missingEntity', 'refused', 'invalidLiteral'] as const;
    const cells = shown.map((name) => gateways.map(({ habits }) => brief(habits[name])));
    expect(rowsOf(path, 'what').map(([, ...row]) => row)).toEqual(cells);
  });

  it('has the versions of the gateways', () => {
    const packages = JSON.parse(readFileSync('test/supergraph/programs/package.json', 'utf8'));
    const { graphql: _, ...versions } = { ...packages.dependencies, ...packages.optionalDependencies };
    for (const [name, version] of Object.entries(versions)) expect(document).toContain(`\`${name}\` ${version}`);
  });

  it('counts the audits, and those that are not passed', () => {
    const failed = Object.values(exceptions).map(({ kind }) => kind);
    expect(failed.toSorted()).toEqual([...Array(3).fill('MAY'), ...Array(3).fill('SHOULD')]);
    expect(document).toMatch(/no MUST of the 61 audits of [^,]*, three SHOULD and three MAY\b/);
    expect(audits.MUST + audits.SHOULD + audits.MAY).toBe(61);
  });
});

/** Tables beside the suites whose lists they show. */
describe('The generated page', () => {
  it.each([
    ['test/supergraph/tables.md', tablesPage],
    [MEASUREMENTS, pageOfSameFigures],
    ['test/conformance/audits.md', auditsPage],
  ])('%s is what the suite lists', async (file, page) => {
    await expect(page()).toMatchFileSnapshot(`../../${file}`);
  });
});
