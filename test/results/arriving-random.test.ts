import { describe, it } from 'vitest';
import { compareField, timeLimit } from '../oracle/field.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many bodies are tried, each with all settings. */
const CASES = randomCases(120);

/** Selections on results. The first one needs what may come behind the assets. */
const selections = [
  'processingId series { nodes { statistics { count } } }',
  'series { nodes { asset { assetId name } rows { valueDate value(metric: "m") } } totalCount } sourceId',
  'processingId metricNames',
  'sourceId statistics { name count minimum { value assetId } maximum { valueDate } quantiles(of: 0.5) }',
  'byDate { dates metrics { counts maximums } }',
  'processingId series(first: 3) { nodes { version asset { assetId } } totalCount }',
  'series { totalCount } sourceId',
  'statistics { name count minimum { value } maximum { value } } series { nodes { rowCount } }',
];

/*
 * Clause 3.33 in detail: the end of a body.
 * Its reader goes on when bytes arrive, when it has decided what is held, and when the body is complete. All of these may come at
 * the same moment, in any order, and none is missed: every operation ends with all data.
 */
describe('3.33 Results about as large as what is held back', () => {
  it('give whole responses, whatever their length, their pieces and what is selected', {
    tags: ['random'],
    timeout: timeLimit(CASES),
  }, async () => {
    await compareField({
      cases: CASES,
      settings: [...[3000, 3500, 4000, 4500, 5000].map((holdBytes) => ({ holdBytes })), { env: { CACHE: 'memory' } }],
      bodies: { bytes: 4500, entries: 30, odd: Number.POSITIVE_INFINITY },
      field: ({ dice }) => `dataset(id: $id) { results { ${dice.of(selections)} } }`,
    });
  });
});
