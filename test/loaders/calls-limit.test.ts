import { describe, expect, it } from 'vitest';
import { datasetOf } from '../support/calls.ts';
import { errorAt } from '../support/expected-errors.ts';
import {
  assetReference,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  outline,
  postResults,
  start,
  type TestBed,
} from '../support/harness.ts';

const BOTH = ofEntities('... on Dataset { id name results { series { totalCount } } }');

const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `dataset-${index}`);
const whole = (id: string) => ({ id, name: 'Soil moisture', results: { series: { totalCount: 3 } } });
const refused = (id: string) => ({ id, name: null, results: null });
const callsOf = (ids: readonly string[]) => ids.flatMap((id) => [getSummary(id), postResults({}, id)]).toSorted();
const EXCEEDED = 'The operation needs more calls to the dataset service than the limit allows';

async function startWith(ids: readonly string[], env: Record<string, string> = {}) {
  // No call ends by its time, however busy the machine is.
  const patient = { OPERATION_TIMEOUT_MS: '300000', UPSTREAM_TIMEOUT_MS: '300000' };
  const bed = await start({ env: { ...patient, ...env }, datasets: ids.map(datasetOf) });
  const ask = (document: string, asked = ids) =>
    bed.query(document, { variables: { references: asked.map(datasetReference) } });
  return { ...bed, ask };
}

function messagesOf({ body }: Awaited<ReturnType<TestBed['query']>>): string[] {
  return [...new Set<string>(body.errors?.map(({ message }: { message: string }) => message))];
}

/*
 * Clause 3.4 of docs/contract.md in detail.
 * `UPSTREAM_MAX_CALLS` limits the REST calls of an operation. Each field that needs a further call gets
 * `REQUEST_LIMIT_EXCEEDED`.
 * - The calls are made dataset by dataset, in the order in which the operation names the datasets. If a field needs
 *   both, the metadata call comes before the results calls. So the first datasets get all their calls, at most one gets
 *   a part of them, and the others get none.
 * - The message says how many calls the operation needs, as far as known, and how many datasets at a time fit: as many
 *   as got all their calls.
 * - A retry is made only if a call remains after all calls that are known by then. A read that the cache answers, or
 *   that waits for the call of another operation (clause 40), takes none.
 */
describe('3.4 UPSTREAM_MAX_CALLS gives the first datasets all their calls', () => {
  it.each([{ references: 250 }, { references: 251 }])(
    '500 calls are enough for 250 of $references references with metadata and results',
    async ({ references }) => {
      const ids = idsOf(references);
      const bed = await startWith(ids);
      const response = await bed.ask(BOTH);
      const lacking = ids.slice(250);
      expect(outline(response)).toEqual({
        data: { _entities: ids.map((id, index) => (index < 250 ? whole(id) : refused(id))) },
        errors: lacking
          .flatMap((_, index) => ['name', 'results'].map((field) => `_entities.${index + 250}.${field}`))
          .map((path) => `${path} REQUEST_LIMIT_EXCEEDED`)
          .toSorted(),
      });
      expect(messagesOf(response)).toEqual(
        lacking.length === 0
          ? []
          : [
              `${EXCEEDED} (UPSTREAM_MAX_CALLS is 500): at least ${references * 2} for ${references} datasets; ` +
                'ask for 250 datasets at a time.',
            ],
      );
      expect(bed.calls().toSorted()).toEqual(callsOf(ids.slice(0, 250)));
    },
  );

  const ids = idsOf(4);
  const [first = '', second = '', third = '', fourth = ''] = ids;
  const ranges = [1, 2].map((stop) => ({ start: 0, stop }));
  const inRange = (stop: number) => `results(filter: { timeRange: { start: 0, stop: ${stop} } }) { processingId }`;
  const found = { processingId: 'p-1' };

  it.each([
    { calls: '6', message: 'ask for 2 datasets at a time.', third: { name: null, a: null, b: null } },
    { calls: '7', message: 'ask for 2 datasets at a time.', third: { b: null, a: null } },
    { calls: '8', message: 'ask for 2 datasets at a time.', third: { b: null } },
    { calls: '9', message: 'ask for 3 datasets at a time.', third: {} },
  ])('one dataset at most gets a part of them: $calls calls', async ({ calls, message, third: lacking }) => {
    const bed = await startWith(ids, { UPSTREAM_MAX_CALLS: calls });
    const response = await bed.ask(ofEntities(`... on Dataset { name a: ${inRange(1)} b: ${inRange(2)} }`));
    const good = { name: 'Soil moisture', a: found, b: found };
    const bad = { name: null, a: null, b: null };
    const { data, errors } = outline(response);
    expect(data).toEqual({ _entities: [good, good, { ...good, ...lacking }, bad] });
    expect(errors).toHaveLength(Object.keys(lacking).length + 3);
    expect(messagesOf(response)).toEqual([
      `${EXCEEDED} (UPSTREAM_MAX_CALLS is ${calls}): at least 12 for 4 datasets; ${message}`,
    ]);
    const all = ids.flatMap((id) => [
      getSummary(id),
      ...ranges.map(({ start, stop }) => postResults({ time_range: { start_date: start, stop_date: stop } }, id)),
    ]);
    expect(bed.calls().toSorted()).toEqual(all.slice(0, Number(calls)).toSorted());
  });

  it('a dataset that needs more than all of them gets those there are', async () => {
    const bed = await start({ env: { UPSTREAM_MAX_CALLS: '2' } });
    const response = await bed.query(ofDataset(`name a: ${inRange(1)} b: ${inRange(2)}`));
    expect(response.body).toEqual({
      data: { dataset: { name: 'Soil moisture', a: found, b: null } },
      errors: [
        {
          ...errorAt(['dataset', 'b'], 'REQUEST_LIMIT_EXCEEDED', { operation: 'getDatasetResults' }),
          message:
            `${EXCEEDED} (UPSTREAM_MAX_CALLS is 2): at least 3 for one dataset; ` +
            'ask for one dataset at a time, with fewer time ranges or assets.',
        },
      ],
    });
    expect(bed.calls()).toHaveLength(2);
  });

  it('the order is that of the operation, over all its fields and kinds of references', async () => {
    const bed = await startWith(ids, { UPSTREAM_MAX_CALLS: '4' });
    const { body } = await bed.query(
      `query ($references: [_Any!]!, $id: ID!) {
        _entities(representations: $references) {
          ... on Dataset { name results { processingId } }
          ... on Asset { name }
        }
        dataset(id: $id) { name results { processingId } }
      }`,
      {
        variables: {
          references: [
            assetReference('a', first),
            datasetReference(second),
            datasetReference(third),
            assetReference('b', first),
          ],
          id: fourth,
        },
      },
    );
    expect(body.data).toEqual({
      _entities: [
        { name: 'Field a' },
        { name: 'Soil moisture', results: found },
        { name: 'Soil moisture', results: null },
        { name: 'Field b' },
      ],
      dataset: { name: null, results: null },
    });
    expect(messagesOf({ body } as Awaited<ReturnType<TestBed['query']>>)).toEqual([
      `${EXCEEDED} (UPSTREAM_MAX_CALLS is 4): at least 7 for 4 datasets; ask for 2 datasets at a time.`,
    ]);
    expect(bed.calls().toSorted()).toEqual(
      [
        postResults({ mo_ids: ['a', 'b'] }, first),
        getSummary(second),
        postResults({}, second),
        getSummary(third),
      ].sort(),
    );
  });

  it.each([
    { calls: '4', retries: 0 },
    { calls: '5', retries: 1 },
  ])('a retry takes no call that another dataset needs: $calls calls', async ({ calls, retries }) => {
    const asked = ids.slice(0, 2);
    const bed = await startWith(ids, { UPSTREAM_MAX_CALLS: calls });
    // There is no retry before the first eleven calls.
    for (let times = 0; times < 11; times += 1) await bed.ask(ofEntities('... on Dataset { name }'), [first]);
    bed.simulator.clear();
    bed.simulator.intercept(({ operation, datasetId }) =>
      operation === 'getDatasetMetadata' && datasetId === first ? { status: 503 } : undefined,
    );
    expect(outline(await bed.ask(BOTH, asked))).toEqual({
      data: { _entities: [{ ...whole(first), name: null }, whole(second)] },
      errors: ['_entities.0.name UPSTREAM_UNAVAILABLE'],
    });
    expect(bed.calls().toSorted()).toEqual(
      [...callsOf(asked), ...Array<string>(retries).fill(getSummary(first))].toSorted(),
    );
  });

  it.each([
    { limit: '2', errors: ['dataset.a REQUEST_LIMIT_EXCEEDED', 'dataset.b REQUEST_LIMIT_EXCEEDED'] },
    { limit: '3', errors: ['dataset.b REQUEST_LIMIT_EXCEEDED'] },
    { limit: '4', errors: ['dataset.b FORBIDDEN'] },
  ])('calls count that are made again: $limit leave $errors', async ({ limit, errors }) => {
    const bed = await start({ env: { UPSTREAM_MAX_CALLS: limit } });
    bed.simulator.intercept(({ body }) => (body.includes('"b"') ? { status: 403 } : undefined));
    const part = (id: string) => `${id}: results(filter: { assetIds: ["${id}"] }) { processingId }`;
    const response = await bed.query(ofDataset(`name ${part('a')} ${part('b')}`));
    const a = errors.length === 1 ? found : null;
    expect(outline(response)).toEqual({ data: { dataset: { name: 'Soil moisture', a, b: null } }, errors });
    expect(bed.calls()).toHaveLength(Number(limit));
  });

  it('what the cache has takes none of them', async () => {
    const bed = await startWith(ids, { UPSTREAM_MAX_CALLS: '4', CACHE: 'memory' });
    const lacking = ['_entities.2.name', '_entities.2.results', '_entities.3.name', '_entities.3.results'];
    expect(outline(await bed.ask(BOTH))).toEqual({
      data: { _entities: [whole(first), whole(second), refused(third), refused(fourth)] },
      errors: lacking.map((path) => `${path} REQUEST_LIMIT_EXCEEDED`),
    });
    expect(bed.calls().toSorted()).toEqual(callsOf([first, second]));
    bed.simulator.clear();
    expect((await bed.ask(BOTH)).body).toEqual({ data: { _entities: ids.map(whole) } });
    expect(bed.calls().toSorted()).toEqual(callsOf([third, fourth]));
    bed.simulator.clear();
    expect((await bed.ask(BOTH)).body).toEqual({ data: { _entities: ids.map(whole) } });
    expect(bed.calls()).toEqual([]);
  });
});
