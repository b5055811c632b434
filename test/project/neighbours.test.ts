import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { neighbourCases, neighbours } from '../supergraph/neighbours/neighbours.ts';
import { compositionsTable, outcomesTable } from '../supergraph/neighbours/tables.ts';
import { blocksOf } from '../support/doc-blocks.ts';
import { DATASET_ID } from '../support/harness.ts';

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
