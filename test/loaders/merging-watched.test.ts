import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { assetReference, DATASET_ID, ofDataset, ofEntities, outline, start, type TestBed } from '../support/harness.ts';
import {
  anyOrder,
  askedFor,
  datasetOf,
  filters,
  ids,
  MERGED,
  NODES,
  nodes,
  onResults,
  resultsOf,
} from '../support/merging.ts';

/** The warnings in the log. */
const warnings = ({ log }: TestBed) => log.filter((line) => JSON.parse(line).level === 40);

/*
 * Clause 3.3 of docs/contract.md in detail.
 * Call merging is monitored. Responses are matched by `asset_id`, never by position. If the response of a merged or
 * chunked call has an asset that the call did not request, everything that relied on the call is requested again, one
 * by one and without chunks. Call merging is then suspended for that dataset for five minutes, except for identical
 * filters and for more than 100 requests of one operation, and one warning is logged. Other datasets are not affected.
 * If such a call fails with a 4xx other than 401 and 429, everything that relied on it is requested one by one, so that
 * each request gets its own result. A response that belongs to one filter alone is passed on as received.
 */
describe('3.3 Merging is watched', () => {
  /** A service that does not read mo_ids: it sends all that it has. */
  const everything = onResults(() => ({ body: resultsOf('abc') }));

  describe('a response that holds an asset not asked for', () => {
    it('turns merging off for every later operation, with one warning only', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2' } });
      bed.simulator.intercept(everything);
      await Promise.all([bed.query(MERGED), bed.query(MERGED), bed.query(MERGED)]);
      expect(warnings(bed)).toHaveLength(1);
      expect(JSON.parse(warnings(bed)[0] ?? '')).toEqual({
        level: 40,
        time: expect.any(Number),
        pid: expect.any(Number),
        hostname: expect.any(String),
        msg: expect.any(String),
      });

      bed.simulator.intercept(undefined);
      bed.simulator.clear();
      const { body } = await bed.query(
        ofDataset(`
          all: results { series(first: 2) { nodes { asset { assetId series { rowCount } } } } }
          one: results(filter: { ${ids('b')} }) ${NODES}
          same: results(filter: { ${ids('b', 'b')} }) ${NODES}
          long: results(filter: { ${ids('a', 'b', 'x')} }) ${NODES}
          attributes: asset(assetId: "c") { name }
          riding: asset(assetId: "x") { name }`),
      );
      expect(body).toEqual({
        data: {
          dataset: {
            all: {
              series: { nodes: ['a', 'b'].map((assetId) => ({ asset: { assetId, series: { rowCount: 3 } } })) },
            },
            one: nodes('b'),
            same: nodes('b'),
            long: nodes('ab'),
            attributes: { name: 'Field c' },
            riding: null,
          },
        },
      });
      expect(anyOrder(filters(bed))).toEqual(
        anyOrder([{}, { mo_ids: ['b'] }, { mo_ids: ['a', 'b', 'x'] }, { mo_ids: ['c'] }, { mo_ids: ['a'] }]),
      );

      bed.simulator.intercept(everything);
      await bed.query(MERGED);
      expect(warnings(bed)).toHaveLength(1);
    });

    it('leaves other datasets alone, and the same one after five minutes', async () => {
      const bed = await start({ datasets: [datasetOf('abc'), datasetOf('abc', 'other')] });
      const mergedOf = (id: string) => MERGED.replace(DATASET_ID, id);
      const clock = stopClock();
      bed.simulator.intercept(everything);
      await bed.query(MERGED);
      bed.simulator.intercept(undefined);
      const callsOf = async (document: string) => {
        bed.simulator.clear();
        await bed.query(document);
        return anyOrder(filters(bed));
      };
      const single = anyOrder([{ mo_ids: ['a'] }, { mo_ids: ['b'] }]);
      expect(await callsOf(mergedOf('other'))).toEqual([{ mo_ids: ['a', 'b'] }]);
      clock.advance(299_999);
      expect(await callsOf(MERGED)).toEqual(single);
      clock.advance(2);
      expect(await callsOf(MERGED)).toEqual([{ mo_ids: ['a', 'b'] }]);
      expect(warnings(bed)).toHaveLength(1);
    });

    it('never makes many assets exceed the limit of calls later: more than a hundred are merged all the same', async () => {
      const assetIds = Array.from({ length: 2000 }, (_, index) => `a${index}`);
      const bed = await start({ datasets: [datasetOf(assetIds)] });
      bed.simulator.intercept(onResults(() => ({ body: resultsOf(['a1', 'b', 'c']) })));
      await bed.query(MERGED);
      bed.simulator.intercept(undefined);
      bed.simulator.clear();
      const ask = (count: number) =>
        bed.query(ofEntities('... on Asset { name }'), {
          variables: { references: assetIds.slice(0, count).map((id) => assetReference(id)) },
        });
      expect((await ask(2000)).body).toEqual({
        data: { _entities: assetIds.map((id) => ({ name: `Field ${id}` })) },
      });
      expect(bed.calls()).toHaveLength(4);
      bed.simulator.clear();
      await ask(100);
      expect(bed.calls()).toHaveLength(100);
    });
  });

  describe('a merged call that is refused', () => {
    /** Refuses calls that ask for the asset `b`, or for all. */
    const refuseB = (status: number) =>
      onResults((request) => ((askedFor(request) ?? 'b').includes('b') ? { status } : undefined));

    const THREE = ofDataset(`
      a: results(filter: { ${ids('a')} }) ${NODES}
      b: results(filter: { ${ids('b')} }) ${NODES}
      c: asset(assetId: "c") { name }`);

    it.each([
      { status: 400, code: 'BAD_USER_INPUT' },
      { status: 404, code: 'NOT_FOUND' },
      { status: 418, code: 'UPSTREAM_INVALID_RESPONSE' },
    ])('with $status is asked for in its parts, each with a verdict of its own', async ({ status, code }) => {
      const bed = await start();
      bed.simulator.intercept(refuseB(status));
      expect(outline(await bed.query(THREE))).toEqual({
        data: { dataset: { a: nodes('a'), b: null, c: { name: 'Field c' } } },
        errors: [`dataset.b ${code}`],
      });
      expect(filters(bed)[0]).toEqual({ mo_ids: ['a', 'b', 'c'] });
      expect(anyOrder(filters(bed).slice(1))).toEqual(
        anyOrder([{ mo_ids: ['a'] }, { mo_ids: ['b'] }, { mo_ids: ['c'] }]),
      );

      bed.simulator.intercept(undefined);
      bed.simulator.clear();
      await bed.query(THREE);
      expect(filters(bed)).toEqual([{ mo_ids: ['a', 'b', 'c'] }]);
      expect(warnings(bed)).toEqual([]);
    });

    it.each([
      { status: 401, code: 'UNAUTHENTICATED' },
      { status: 429, code: 'RATE_LIMITED' },
      { status: 503, code: 'UPSTREAM_UNAVAILABLE' },
    ])('with $status is not asked for again', async ({ status, code }) => {
      const bed = await start();
      bed.simulator.intercept(refuseB(status));
      expect(outline(await bed.query(MERGED))).toEqual({
        data: { dataset: { a: null, b: null } },
        errors: [`dataset.a ${code}`, `dataset.b ${code}`],
      });
      expect(filters(bed)).toEqual([{ mo_ids: ['a', 'b'] }]);
    });
  });
});
