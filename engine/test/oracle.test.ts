import fc from 'fast-check';
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { datasetSeeds, randomService } from '../../test/oracle/random-service.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { documentOf, type Item, selection } from '../../test/support/random-selection.ts';
import { assetSeries, ofAllSeries, plainVariables, variableTypes } from '../../test/support/results-selections.ts';
import { compare, ID, questionOf } from './right.ts';

/** Whatever is selected of any body, in any pieces: it is what the oracle of test/oracle says. */

const field = (name: string, items: readonly Item[]): Item => ({
  ...{ kind: 'field', field: name, key: undefined, directives: '', items },
});

/** The series of a dataset, and what is computed from all of them. */
const documents = fc
  .record({ series: fc.option(assetSeries(0)), ofAll: fc.option(selection('DatasetResults', ofAllSeries)) })
  .filter(({ series, ofAll }) => series !== null || ofAll !== null)
  .map(({ series, ofAll }) => {
    const list = series === null ? [] : [field('series', [field('nodes', series)])];
    const results = field('results', [...list, ...(ofAll ?? [])]);
    return documentOf([{ name: undefined, items: [field('dataset(id: $id)', [results])] }], variableTypes);
  });

const drawings = fc.record({
  document: documents,
  variables: fc.record(plainVariables),
  seed: datasetSeeds({ bytes: Number(process.env.ORACLE_BYTES ?? 2000) }),
  lengths: fc.oneof(fc.constant([1 << 18]), fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 3 })),
});

it('is what the oracle says', { tags: ['random'], timeout: 600_000 }, () => {
  let whole = 0;
  fc.assert(
    fc.property(drawings, ({ document, variables, seed, lengths }) => {
      const { status, body } = randomService(new Map([[ID, seed]])).results(ID, {});
      fc.pre(status === 200);
      const question = questionOf(parse(document), JSON.parse(JSON.stringify({ ...variables, id: ID })));
      const errors = question && compare(question, body, [lengths]);
      fc.pre(errors !== undefined);
      if (errors === 0) whole += 1;
    }),
    { numRuns: randomCases(20_000) },
  );
  expect(whole).toBeGreaterThan(0);
});
