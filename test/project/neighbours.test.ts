import { readFileSync } from 'node:fs';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { type ComposerName, compositions, verdictOf } from '../supergraph/neighbours/compositions.ts';
import { neighbourCases, neighbours } from '../supergraph/neighbours/neighbours.ts';
import { compositionsTable, outcomesTable } from '../supergraph/neighbours/tables.ts';
import { schemaComposers } from '../support/composers.ts';
import { blocksOf } from '../support/doc-blocks.ts';
import { DATASET_ID } from '../support/harness.ts';

const ours = { name: 'dataset', url: 'https://dataset.example/graphql', typeDefs: readTypeDefs() };

const names = {
  '@apollo/composition': 'Apollo',
  '@theguild/federation-composition': 'Guild',
  '@wundergraph/composition': 'WunderGraph',
} as const satisfies Record<string, ComposerName>;

describe.each(Object.entries(names))('Neighbours composed by %s', (composer, name) => {
  it.each(compositions)('$title', ({ neighbours, verdicts, reason }) => {
    const others = neighbours.map(({ name, sdl }) => ({
      name,
      url: `https://${name}.example/graphql`,
      typeDefs: parse(sdl),
    }));
    const { errors, schema } = schemaComposers[composer]?.([ours, ...others]) ?? expect.unreachable();
    expect([verdictOf(schema), errors]).toEqual([
      verdicts[name],
      verdicts[name] === 'refuses' ? [expect.stringMatching(reason ?? /^$/)] : [],
    ]);
  });
});

describe('docs/neighbours.md', () => {
  const path = 'docs/neighbours.md';
  const document = readFileSync(path, 'utf8');

  it('says what works where, as the tests of the supergraph know it', () => {
    expect(document).toContain(`\n${outcomesTable()}\n`);
    expect(document).toContain(`\n${compositionsTable()}\n`);
  });

  it('shows the subgraphs and queries that the tests run', () => {
    const subgraphs = neighbours.map(({ sdl }) => plain(sdl));
    const queries = neighbourCases.map((one) => plain(one.document));
    const shown = blocksOf(path).flatMap(({ language, code }) => (language === 'graphql' ? [plain(code)] : []));
    expect(shown).toEqual(expect.arrayContaining(subgraphs));
    expect(shown.filter((code) => ![...subgraphs, ...queries].includes(code))).toEqual([]);
  });
});

/** Without the value of the tests' variable, and the white space that has no meaning. */
function plain(code: string): string {
  return code
    .replaceAll(` = "${DATASET_ID}"`, '')
    .replaceAll(/[\s,]+/g, ' ')
    .trim();
}
