import { describe, expect, it, vi } from 'vitest';
import { stopTimers } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { gate, getSummary, ofDataset, outline, start } from '../support/harness.ts';
import { ended, env, MEGABYTE, outlineOf, queryOf, range, resultsOf, sendResults } from '../support/memory-budget.ts';
import { named, warnings } from '../support/outage.ts';

const NAME = ofDataset('name');
const memory = { CACHE: 'memory' };

/** A query for the names of datasets. */
const namesOf = (ids: readonly string[]) => `{ datasetsByIds(ids: ${JSON.stringify(ids)}) { name } }`;
const idsOf = (prefix: string, count: number) => range(count).map((index) => `${prefix}${index}`);

describe('3.40 Calls through the cache count for the operation that makes them', () => {
  it('leave sockets for others: it has three quarters of them at most', async () => {
    const bed = await start({ env: { ...memory, UPSTREAM_CONNECTIONS: '8' } });
    const held = gate();
    bed.simulator.intercept(({ datasetId }) =>
      datasetId?.startsWith('d') ? held.opened.then(() => ({ status: 404 })) : undefined,
    );
    const large = bed.query(namesOf(idsOf('d', 100)));
    await eventually(() => expect(bed.calls()).toHaveLength(6));
    // The large one is still held back.
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(bed.calls().slice(6)).toEqual([getSummary()]);
    held.open();
    await large;
  });

  it('lose the last of them when the queue is full', async () => {
    const bed = await start({ env: { ...memory, UPSTREAM_CONNECTIONS: '4', UPSTREAM_QUEUE: '3' } });
    const held = gate();
    bed.simulator.intercept(({ datasetId }) =>
      datasetId?.startsWith('d') ? held.opened.then(() => undefined) : undefined,
    );
    const ids = idsOf('d', 6);
    const large = bed.query(namesOf(ids));
    await eventually(() => expect(bed.calls()).toHaveLength(3));
    const others = [bed.query(namesOf(['dx'])), bed.query(namesOf(['dy']))];
    await eventually(() => expect(bed.calls()).toHaveLength(4));
    await bed.query('{ __typename }');
    held.open();
    for (const other of others) expect(outline(await other).errors).toEqual(['datasetsByIds.0 NOT_FOUND']);
    const { errors } = outline(await large);
    expect(errors).toEqual([
      ...range(5).map((index) => `datasetsByIds.${index} NOT_FOUND`),
      'datasetsByIds.5.name UPSTREAM_UNAVAILABLE',
    ]);
  });

  it('open no circuit for others if they fail', async () => {
    const bed = await start({ env: { ...memory, UPSTREAM_RETRY: 'off', UPSTREAM_OUTAGE_MS: '60000' } });
    bed.simulator.intercept(({ datasetId }) => (datasetId?.startsWith('bad') ? { status: 503 } : undefined));
    await bed.query(namesOf(['good0']));
    await bed.query(namesOf(['good1']));
    await bed.query(namesOf(idsOf('bad', 50)));
    expect((await bed.query(NAME)).body).toEqual(named);
    expect(warnings(bed)).toEqual([]);
  });

  it('are refused at once where both responses together exceed the budget', async () => {
    const bed = await start({ env: env(2 * MEGABYTE, { ...memory, OPERATION_TIMEOUT_MS: '300000' }) });
    const held = gate();
    sendResults(bed, async (id) => {
      if (id === 'second') await held.opened;
      return { body: resultsOf(1.2 * MEGABYTE) };
    });
    const answer = bed.query(queryOf('first', 'second'));
    await eventually(() => expect(ended(bed)).toBe(1));
    held.open();
    expect(outline(await answer)).toEqual(outlineOf(['first', 'second'], { second: 'UPSTREAM_RESPONSE_TOO_LARGE' }));
  });

  it('wait until the deadline for what an operation holds that waits for one of them', async () => {
    const bed = await start({ env: env(8 * MEGABYTE, { ...memory, OPERATION_TIMEOUT_MS: '1000' }) });
    const held = gate();
    sendResults(bed, async (id) => {
      if (id === 'shared') await held.opened;
      return { body: resultsOf(5 * MEGABYTE) };
    });
    const first = bed.query(queryOf('shared'));
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    const second = bed.query(queryOf('own', 'shared'));
    await eventually(() => expect(ended(bed)).toBe(1));
    held.open();
    expect(outline(await first)).toEqual(outlineOf(['shared'], { shared: 'UPSTREAM_TIMEOUT' }));
    const answer = await second;
    expect(outline(answer)).toEqual(outlineOf(['own', 'shared'], { shared: 'UPSTREAM_TIMEOUT' }));
    expect(answer.body.errors[0].extensions.rest.retryable).toBe(true);
    // All of it is free again.
    expect(outline(await bed.query(queryOf('third')))).toEqual(outlineOf(['third']));
  });

  it('end at the deadline of the last operation that waits', async () => {
    const bed = await start({ env: { ...memory, OPERATION_TIMEOUT_MS: '10000', UPSTREAM_TIMEOUT_MS: '60000' } });
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => undefined));
    stopTimers();
    const first = bed.query(NAME);
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    vi.advanceTimersByTime(5000);
    const second = bed.query(NAME);
    await bed.query('{ __typename }');
    vi.advanceTimersByTime(5500);
    expect(outline(await first).errors).toEqual(['dataset.name UPSTREAM_TIMEOUT']);
    held.open();
    expect((await second).body).toEqual(named);
    expect(bed.calls()).toEqual([getSummary()]);
  });
});
