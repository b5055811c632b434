import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { errorAt } from '../support/expected-errors.ts';
import {
  type Answer,
  DATASET_ID,
  dataset,
  gate,
  getSummary,
  ofDataset,
  outline,
  start,
  type TestBed,
} from '../support/harness.ts';

const NAME = ofDataset('name');
const named = { data: { dataset: { name: 'Soil moisture' } } };
const codeOf = ({ body }: Answer): string => body.errors?.[0].extensions.code ?? 'none';
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
  it.each([0, 1, 3])(
    'may be %i, and all of these are made in their order; one more is refused at once',
    async (most) => {
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
      expect(bed.calls().toSorted()).toEqual(range(most + 2).map((index) => getSummary(`d${index}`)));
      expect(bed.calls().slice(2)).toEqual(range(most).map((index) => getSummary(`d${index + 2}`)));
      // All of it is there again for the next ones.
      expect((await bed.ask('d9')).body).toEqual(named);
    },
  );

  it('are spared when others are refused, of the same operation too', async () => {
    const bed = await startBusy(3);
    const ids = range(8).map((index) => `d${index}`);
    const document = `{ datasetsByIds(ids: ${JSON.stringify(ids)}) { name } }`;
    const response = bed.query(document);
    await bed.arrived();
    bed.release();
    expect(outline(await response)).toEqual({
      data: { datasetsByIds: ids.map((_id, index) => ({ name: index < 5 ? 'Soil moisture' : null })) },
      errors: [5, 6, 7].map((index) => `datasetsByIds.${index}.name UPSTREAM_UNAVAILABLE`),
    });
    expect(bed.calls()).toEqual(ids.slice(0, 5).map((id) => getSummary(id)));
  });

  it('are taken in turn from operations, and the one with most of them loses when there is no room for another', async () => {
    const bed = await startBusy(6);
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
  });

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
    ['of results', 'results { processingId }', 'results'],
    ['of metadata', 'description', 'name'],
  ])('of operations with hundreds of slow calls %s leave room for a small one', async (_what, selection, field) => {
    const ids = range(500).map((index) => `d${index}`);
    const bed = await start({ env: { ...patient, UPSTREAM_CONNECTIONS: '8', UPSTREAM_QUEUE: '3000' } });
    const held = gate();
    bed.simulator.intercept(({ datasetId }) =>
      datasetId === DATASET_ID ? undefined : held.opened.then(() => undefined),
    );
    const count = field === 'results' ? 4 : 1;
    const large = range(count).map(() =>
      bed.query(`query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { ${selection} } }`, { variables: { ids } }),
    );
    await eventually(() => expect(bed.calls()).toHaveLength(6));
    // The large ones are still held back.
    for (const _ of range(10)) expect((await bed.query(NAME)).body).toEqual(named);
    expect(bed.calls()).toHaveLength(16);
    held.open();
    await Promise.all(large);
    expect(bed.calls()).toHaveLength(10 + count * 500);
  });

  it('have room for all the calls that two operations may cause, unless told otherwise', async () => {
    const bed = await start({ env: { ...patient, UPSTREAM_CONNECTIONS: '1' } });
    const ids = range(500).map((index) => `d${index}`);
    const document = '($ids: [ID!]!) { datasetsByIds(ids: $ids) { name } }';
    const responses = await Promise.all(
      range(2).map(() => bed.query(`query ${document}`, { variables: { ids }, headers: { 'x-request-id': 'big' } })),
    );
    for (const { body } of responses) {
      expect(new Set(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code))).toEqual(
        new Set(['NOT_FOUND']),
      );
    }
    expect(bed.calls()).toHaveLength(1000);
  });

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
      await wait(2);
      return undefined;
    });
    for (const { body } of await Promise.all(range(50).map(() => bed.query(NAME)))) expect(body).toEqual(named);
    expect(most).toBe(3);
  });

  it('leave at once when their clients do, and make room for others', async () => {
    const bed = await startBusy(2);
    const first = [bed.ask('d0'), bed.ask('d1')];
    await bed.arrived();
    const leaving = new AbortController();
    const left = [bed.ask('d2', leaving.signal), bed.ask('d3', leaving.signal)].map((response) =>
      response.catch((error) => error.code),
    );
    await eventually(async () => expect((await bed.ask('d9')).body).toEqual(full(2)));
    leaving.abort();
    expect(await Promise.all(left)).toEqual(['ABORT_ERR', 'ABORT_ERR']);
    // While the calls under way are still held back. Two have left: two find room, where before not even one did.
    await eventually(() => expect(bed.log.filter((line) => line.includes('cancelled'))).toHaveLength(2));
    const others = [bed.ask('d4'), bed.ask('d5')];
    await received(bed);
    bed.release();
    for (const { body } of await Promise.all([...first, ...others])) expect(body).toEqual(named);
    expect(bed.calls().toSorted()).toEqual(['d0', 'd1', 'd4', 'd5'].map((id) => getSummary(id)));
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

  it('are not made, when the service is found to be down before their turn', async () => {
    const bed = await start({
      env: { ...patient, UPSTREAM_CONNECTIONS: '20', UPSTREAM_OUTAGE_MS: '60000', UPSTREAM_RETRY: 'off' },
    });
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => ({ status: 503 })));
    const responses = range(100).map(() => bed.query(NAME));
    await eventually(() => expect(bed.calls()).toHaveLength(20));
    await received(bed);
    held.open();
    expect(new Set((await Promise.all(responses)).map(codeOf))).toEqual(new Set(['UPSTREAM_UNAVAILABLE']));
    // 20 failures are counted before the rest is refused; until then each leaves its place to another.
    expect(bed.calls().length).toBeLessThanOrEqual(40);
  });
});

describe('4 Errors that name a limit', () => {
  it('UPSTREAM_MAX_CALLS', async () => {
    const { query } = await start({ env: { UPSTREAM_MAX_CALLS: '1' } });
    const { body } = await query('{ datasetsByIds(ids: ["x", "y"]) { name } }');
    expect(body.errors).toContainEqual({
      ...errorAt(['datasetsByIds', 1, 'name'], 'REQUEST_LIMIT_EXCEEDED', { operation: 'getDatasetMetadata' }),
      message:
        'The operation needs more calls to the dataset service than the limit allows (UPSTREAM_MAX_CALLS is 1): ' +
        'at least 2 for 2 datasets; ask for one dataset at a time.',
    });
  });

  it('UPSTREAM_MAX_BYTES', async () => {
    const { query } = await start({ env: { UPSTREAM_MAX_BYTES: '20' } });
    const { body } = await query(NAME);
    expect(body.errors).toMatchObject([
      {
        message: 'The response of the dataset service is too large (UPSTREAM_MAX_BYTES is 20).',
        extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' },
      },
    ]);
  });
});
