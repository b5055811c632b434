import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { errorAt } from '../support/expected-errors.ts';
import {
  type Answer,
  DATASET_ID,
  dataset,
  gate,
  getSummary,
  NAME,
  named,
  outline,
  start,
  type TestBed,
} from '../support/harness.ts';

const range = (length: number) => Array.from({ length }, (_, index) => index);

const full = (queue: number) => ({
  data: { dataset: { name: null } },
  errors: [
    {
      ...errorAt(['dataset', 'name'], 'UPSTREAM_UNAVAILABLE', { operation: 'getDatasetMetadata', retryable: true }),
      message: `Too many calls are waiting for the dataset service (UPSTREAM_QUEUE is ${queue}).`,
    },
  ],
});

/** No call ends by its time, however busy the machine is. */
const patient = { OPERATION_TIMEOUT_MS: '300000', UPSTREAM_TIMEOUT_MS: '300000' };

/** Two sockets, and as many places in the queue as given, over a service that holds its answers back. */
async function startBusy(queue: number, more: Record<string, string> = {}) {
  const env = { ...patient, UPSTREAM_CONNECTIONS: '2', UPSTREAM_QUEUE: `${queue}`, ...more };
  const ids = range(12).map((index) => `d${index}`);
  const bed = await start({ env, datasets: ids.map((id) => ({ ...dataset, metadata: { ...dataset.metadata, id } })) });
  const held = gate();
  bed.simulator.intercept(() => held.opened.then(() => undefined));
  return {
    ...bed,
    release: held.open,
    ask: (id: string, signal?: AbortSignal) => bed.query(NAME, { variables: { id }, ...(signal && { signal }) }),
    arrived: () => eventually(() => expect(bed.calls()).toHaveLength(2)),
  };
}

/** Waits until so many requests have come to the subgraph: it has then begun to answer a health check after them. */
async function received({ http }: Pick<TestBed, 'http'>): Promise<void> {
  for (const _ of range(3)) await http('/health/live');
}

/*
 * Clause 3.32 of docs/contract.md in detail.
 * `UPSTREAM_CONNECTIONS` calls are under way at most, and `UPSTREAM_QUEUE` wait. Tokens are served in turn, and so are the GraphQL
 * operations of each, and the calls of an operation in the order of their arrival. No operation has more than three quarters of the connections.
 * All results calls together have no more than that either (seven eighths, with those of operations that already hold
 * memory), so that metadata finds some. If the queue is full, the last call of the operation with the most waiting
 * calls is rejected with `UPSTREAM_UNAVAILABLE`; that is the new call if no other operation has more. A connection, TLS
 * included, has to be made within 5 s and within `UPSTREAM_TIMEOUT_MS`.
 */
describe('3.32 UPSTREAM_QUEUE: calls that wait for a socket', () => {
  it.each([0, 3])('may be %i, made in their order; one more is refused at once', async (most) => {
    const bed = await startBusy(most);
    const first = [bed.ask('d0'), bed.ask('d1')];
    await bed.arrived();
    const waiting: Promise<Answer>[] = [];
    for (const index of range(most)) {
      waiting.push(bed.ask(`d${index + 2}`));
      await received(bed);
    }
    // The others are still held back.
    expect((await bed.ask('d9')).body).toEqual(full(most));
    expect(bed.calls()).toHaveLength(2);
    bed.release();
    for (const response of await Promise.all([...first, ...waiting])) expect(response.body).toEqual(named);
    expect(bed.calls().slice(2)).toEqual(range(most).map((index) => getSummary(`d${index + 2}`)));
    // All of it is there again for the next ones.
    expect((await bed.ask('d9')).body).toEqual(named);
  });

  it.each(['off', 'memory'])(
    'are taken in turn from operations, and the one with most of them loses the last: CACHE=%s',
    async (CACHE) => {
      const bed = await startBusy(6, { CACHE });
      const first = [bed.ask('d0'), bed.ask('d1')];
      await bed.arrived();
      const ids = range(6).map((index) => `d${index + 2}`);
      const large = bed.query(`{ datasetsByIds(ids: ${JSON.stringify(ids)}) { name } }`);
      await received(bed);
      const small = [bed.ask('d8'), bed.ask('d9')];
      await received(bed);
      bed.release();
      for (const { body } of await Promise.all([...first, ...small])) expect(body).toEqual(named);
      // Its last two calls have given way.
      expect(outline(await large)).toEqual({
        data: { datasetsByIds: ids.map((_id, index) => ({ name: index < 4 ? 'Soil moisture' : null })) },
        errors: [4, 5].map((index) => `datasetsByIds.${index}.name UPSTREAM_UNAVAILABLE`),
      });
      const order = bed.calls().slice(2);
      expect(order.toSorted()).toEqual([...ids.slice(0, 4), 'd8', 'd9'].map((id) => getSummary(id)).toSorted());
      // Not behind all of the large one, which has come before them.
      for (const id of ['d8', 'd9']) expect(order.indexOf(getSummary(id))).toBeLessThan(3);
    },
  );

  it('are taken in turn from tokens, however many operations one of them has', async () => {
    const bed = await startBusy(20);
    const first = [bed.ask('d0'), bed.ask('d1')];
    await bed.arrived();
    const many = range(6).map((index) => bed.ask(`d${index + 2}`));
    await received(bed);
    const other = range(2).map((index) =>
      bed.query(NAME, {
        variables: { id: `d${index + 8}` },
        headers: { authorization: 'Bearer of-another' },
      }),
    );
    await received(bed);
    bed.release();
    await Promise.all([...first, ...many, ...other]);
    const order = bed.calls().slice(2);
    expect(order).toHaveLength(8);
    for (const id of ['d8', 'd9']) expect(order.indexOf(getSummary(id))).toBeLessThan(5);
  });

  it.each([
    ['of results', 'results { processingId }', 4, 'off'],
    ['of metadata', 'description', 1, 'off'],
    ['of metadata, through the cache,', 'description', 1, 'memory'],
  ])(
    'of operations with hundreds of slow calls %s leave room for a small one',
    async (_what, selection, count, CACHE) => {
      const ids = range(500).map((index) => `d${index}`);
      const bed = await start({ env: { ...patient, UPSTREAM_CONNECTIONS: '8', UPSTREAM_QUEUE: '3000', CACHE } });
      const held = gate();
      bed.simulator.intercept(({ datasetId }) =>
        datasetId === DATASET_ID ? undefined : held.opened.then(() => undefined),
      );
      const large = range(count).map(() =>
        bed.query(`query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { ${selection} } }`, { variables: { ids } }),
      );
      await eventually(() => expect(bed.calls()).toHaveLength(6));
      // The large ones are still held back.
      for (const _ of range(10)) expect((await bed.query(NAME)).body).toEqual(named);
      const small = CACHE === 'off' ? 10 : 1;
      expect(bed.calls()).toHaveLength(6 + small);
      held.open();
      await Promise.all(large);
      expect(bed.calls()).toHaveLength(small + count * 500);
    },
  );

  it('are never more under way than UPSTREAM_CONNECTIONS', async () => {
    const bed = await start({ env: { ...patient, UPSTREAM_CONNECTIONS: '3' } });
    let underWay = 0;
    let most = 0;
    const { promise: three, resolve } = Promise.withResolvers<void>();
    bed.simulator.intercept(async ({ outcome }) => {
      underWay += 1;
      most = Math.max(most, underWay);
      if (underWay === 3) resolve();
      outcome.then(() => {
        underWay -= 1;
      });
      // However slowly they are made, three of them are.
      await three;
      return undefined;
    });
    for (const { body } of await Promise.all(range(50).map(() => bed.query(NAME)))) expect(body).toEqual(named);
    expect(most).toBe(3);
  });

  it('end at the deadline of their operation, and are not made after it', async () => {
    const bed = await startBusy(5, { OPERATION_TIMEOUT_MS: '1000' });
    const ids = range(4).map((index) => `d${index}`);
    const response = bed.query(`{ datasetsByIds(ids: ${JSON.stringify(ids)}) { name } }`);
    expect(outline(await response)).toEqual({
      data: { datasetsByIds: ids.map(() => ({ name: null })) },
      errors: ids.map((_id, index) => `datasetsByIds.${index}.name UPSTREAM_TIMEOUT`),
    });
    bed.release();
    expect((await bed.ask('d5')).body).toEqual(named);
    expect(bed.calls()).toEqual(['d0', 'd1', 'd5'].map((id) => getSummary(id)));
  });
});
