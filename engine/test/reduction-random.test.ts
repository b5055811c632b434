import fc from 'fast-check';
import { parse } from 'graphql';
import { expect, it } from 'vitest';
import { mismatchOf } from '../../test/oracle/compare.ts';
import { datasetSeeds, randomService } from '../../test/oracle/random-service.ts';
import { respond } from '../../test/oracle/respond.ts';
import { randomCases } from '../../test/support/random-cases.ts';
import { METRIC_NAMES } from '../../test/support/results-selections.ts';
import { askedBy } from './asked.ts';
import { inPieces, read } from './read.ts';

/** Columns of fewer rows of series with many rows, near dates and gaps, in any pieces: they are what the oracle of test/oracle says. */

const ID = 'dataset';

const document =
  parse(`query ($id: ID!, $names: [String!], $points: Int) { dataset(id: $id) { results { series { nodes {
  columns(metrics: $names, points: $points) { rowCount valueDates metrics { name values } }
} } } } }`);

const rows = fc.oneof(
  { weight: 6, arbitrary: fc.nat(40) },
  { weight: 3, arbitrary: fc.nat(150) },
  { weight: 1, arbitrary: fc.integer({ min: 510, max: 700 }) },
);

const drawings = fc.record({
  names: fc.option(fc.uniqueArray(fc.constantFrom(...METRIC_NAMES, 'nothing'), { maxLength: 4 })),
  points: fc.oneof(fc.nat(4), fc.nat(30), fc.nat(100), fc.nat(700)),
  seed: fc
    .constantFrom(2, Number.POSITIVE_INFINITY)
    .chain((sparse) => datasetSeeds({ rows, odd: Number.POSITIVE_INFINITY, oddDates: 12, nearDates: 4, sparse })),
  pieces: fc.oneof(fc.constant([1 << 18]), fc.array(fc.integer({ min: 1, max: 3000 }), { minLength: 1, maxLength: 3 })),
});

it('chooses the rows that the schema describes', { tags: ['random'], timeout: 600_000 }, () => {
  let reduced = 0;
  fc.assert(
    fc.property(drawings, ({ names, points, seed, pieces }) => {
      const service = randomService(new Map([[ID, seed]]));
      const { status, body } = service.results(ID, {});
      const variables = { id: ID, names, points };
      const expected = respond(document, variables, service);
      const entries = askedBy(document, variables, ID)?.entries;
      fc.pre(status === 200 && entries !== undefined && expected.result.errors === undefined);
      const { list, errors } = read({ entries }, inPieces(Buffer.from(body), pieces));
      const data = { dataset: { results: { series: list === 'null' ? null : { nodes: JSON.parse(list) } } } };
      const wrong = mismatchOf({ data, errors: errors.map(({ kind }) => ({ message: kind })) }, expected);
      if (wrong !== undefined) throw new Error(`${wrong}\n${JSON.stringify(variables)}\n${body.slice(0, 4000)}`);
      if (list.includes(`"rowCount":${points},`)) reduced += 1;
    }),
    { numRuns: randomCases(4000) },
  );
  expect(reduced).toBeGreaterThan(0);
});
