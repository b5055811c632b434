import { describe, expect, it } from 'vitest';
import { assetsOf, days, row, startWith } from '../support/aggregates.ts';
import { respondWith } from '../support/harness.ts';
import { hold, MEGABYTE, resultsOf } from '../support/memory-budget.ts';
import { receive, resultsPath } from '../support/results-files.ts';
import { rowGroupsOf } from './row-groups.ts';

describe('3.43 Types of files of what is computed', () => {
  it('have the ranges of each column of dates in Parquet, over all assets', async () => {
    const bed = await startWith([
      [row('2024-01-01', { m: 5 }), row('2024-01-02T12:00:00Z', { m: 1 })],
      [row('2024-01-01T00:00:00.000001Z', { m: 5 }), row('2024-01-03', { m: 9 })],
    ]);
    const [group] = await rowGroupsOf(bed, 'of=statistics');
    const date = (text: string) => new Date(`${text}Z`);
    expect(group?.ranges).toEqual({
      first_date: [date('2024-01-01'), date('2024-01-01'), 0n],
      last_date: [date('2024-01-02T12:00'), date('2024-01-03'), 0n],
      minimum_date: [date('2024-01-01'), date('2024-01-02T12:00'), 0n],
      maximum_date: [date('2024-01-01'), date('2024-01-03'), 0n],
    });
  });
});

describe('3.43 The memory of files of what is computed', () => {
  it('is counted for tables that are held', async () => {
    // 200,000 rows of 11 columns.
    const many = Array.from({ length: 40 }, () => days('2000-01-01', Array(5000).fill(1)));
    const bed = await startWith(many, { MEMORY_BUDGET: '14000000' });
    const query = 'of=periods&every=day';
    for (const format of ['parquet', 'arrow']) {
      const { status, text } = await receive(bed, resultsPath(`format=${format}&${query}`));
      expect([status, JSON.parse(text).errors]).toMatchObject([
        502,
        [{ extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' } }],
      ]);
    }
    expect((await receive(bed, resultsPath(`format=csv&${query}`))).isComplete).toBe(true);
    expect((await receive(bed, resultsPath('format=parquet&of=statistics'))).isComplete).toBe(true);
  });

  it('of values by date is released at the end, so that those after it may grow beside others', async () => {
    const many = Array.from({ length: 15 }, () => days('2000-01-01', Array(10_000).fill(1)));
    const bed = await startWith(many, { MEMORY_BUDGET: `${16 * MEGABYTE}`, UPSTREAM_TIMEOUT_MS: '10000' });
    expect((await receive(bed, resultsPath('format=csv&of=byDate'))).isComplete).toBe(true);
    const { letGo, answer } = await hold(bed, resultsOf(MEGABYTE));
    let isHeld = true;
    const ended = answer.then(() => {
      isHeld = false;
    });
    respondWith(bed.simulator, { results: { assets: assetsOf(many) } });
    const { isComplete } = await receive(bed, resultsPath('format=csv&of=byDate'));
    expect([isComplete, isHeld]).toEqual([true, true]);
    letGo();
    await ended;
  });
});
