import { describe, it } from 'vitest';
import { randomCases } from '../support/random-cases.ts';
import { someMetrics, timeLimit } from './field.ts';
import { compareFile, type FileAsked } from './file.ts';

/** Random files of random bodies against the oracle, of every format. The numbers are those of random-operations.test.ts. */
const CASES = randomCases(5100);
const BYTES = Number(process.env.ORACLE_BYTES ?? 2000);

describe('3.43 A file is what the oracle says', () => {
  it('of random bodies', { tags: ['random'], timeout: timeLimit(CASES) }, async () => {
    await compareFile({
      cases: CASES,
      bodies: { bytes: BYTES },
      settings: [{}, { env: { CACHE: 'memory' } }, { holdBytes: 1024 }],
      file: ({ dice }): FileAsked => ({
        format: dice.of(['csv', 'csv_spreadsheet', 'ndjson', 'parquet', 'arrow']),
        of: dice.of(['rows', 'rows', 'periods', 'statistics', 'byDate']),
        layout: dice.of(['long', 'wide']),
        every: dice.of(['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR']),
        quantiles: dice.of([[], [0.5], [0, 0.25, 1], [0.1, 0.9]]),
        metrics: dice.oneIn(3) ? someMetrics(dice) : undefined,
        filter: {
          assetIds: dice.oneIn(2) ? dice.shuffled(['a', 'b', 'nobody']).slice(0, dice.below(3)) : undefined,
          start: dice.oneIn(2) ? 1_704_067_200_000n : undefined,
        },
      }),
    });
  });
});
