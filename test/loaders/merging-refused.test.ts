import { describe, expect, it } from 'vitest';
import { ofDataset, outline, start } from '../support/harness.ts';
import {
  answerRead,
  anyOrder,
  askedFor,
  datasetOf,
  filters,
  ids,
  later,
  MERGED,
  NODES,
  nodes,
  onResults,
  warnings,
} from '../support/merging.ts';

describe('3.3 Merging is watched', () => {
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
      { status: 403, code: 'FORBIDDEN' },
      { status: 404, code: 'NOT_FOUND' },
      { status: 405, code: 'UPSTREAM_CONTRACT_ERROR' },
      { status: 409, code: 'CONFLICT' },
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
      { status: 500, code: 'UPSTREAM_ERROR' },
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

    it('may be one without a filter', async () => {
      const bed = await start();
      bed.simulator.intercept(refuseB(403));
      expect(
        outline(
          await bed.query(
            ofDataset(
              `all: results ${NODES} a: results(filter: { ${ids('a')} }) ${NODES} c: asset(assetId: "c") { name }`,
            ),
          ),
        ),
      ).toEqual({
        data: { dataset: { all: null, a: nodes('a'), c: { name: 'Field c' } } },
        errors: ['dataset.all FORBIDDEN'],
      });
      expect(filters(bed)[0]).toEqual({});
      expect(anyOrder(filters(bed).slice(1))).toEqual(anyOrder([{ mo_ids: ['a'] }, { mo_ids: ['c'] }]));
    });

    it('may be a list that attributes ride along with', async () => {
      const bed = await start();
      bed.simulator.intercept(refuseB(403));
      expect(
        outline(
          await bed.query(
            ofDataset(`list: results(filter: { ${ids('a', 'b')} }) ${NODES} a: asset(assetId: "a") { name }`),
          ),
        ),
      ).toEqual({ data: { dataset: { list: null, a: { name: 'Field a' } } }, errors: ['dataset.list FORBIDDEN'] });
      expect(filters(bed)).toEqual([{ mo_ids: ['a', 'b'] }, { mo_ids: ['a'] }]);
    });

    it('is cut into chunks again where a part is long, and each part gets all of its own', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2' }, datasets: [datasetOf('abcd')] });
      bed.simulator.intercept(
        onResults((request) => (askedFor(request)?.join('') === 'cd' ? { status: 403 } : undefined)),
      );
      const { body } = await bed.query(
        ofDataset(`
          one: results(filter: { ${ids('a', 'b', 'c')} }) ${NODES}
          two: results(filter: { ${ids('a', 'b', 'd')} }) ${NODES}`),
      );
      expect(body).toEqual({ data: { dataset: { one: nodes('abc'), two: nodes('abd') } } });
      expect(anyOrder(filters(bed))).toEqual(
        anyOrder([{ mo_ids: ['a', 'b'] }, { mo_ids: ['c'] }, { mo_ids: ['c', 'd'] }, { mo_ids: ['d'] }]),
      );
    });

    it('changes nothing for a part that another call has answered', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2', OPERATION_TIMEOUT_MS: '3000' } });
      const lacking = answerRead(bed);
      bed.simulator.intercept(
        onResults(async (request) => {
          const asked = askedFor(request)?.join('');
          if (asked === 'ac') lacking.follow(request);
          if (asked === 'ba') await lacking.opened;
          return asked?.includes('b') ? { status: 403 } : undefined;
        }),
      );
      const filter = (...assetIds: string[]) => `results(filter: { ${ids(...assetIds)}, ${later.graphql} }) ${NODES}`;
      const response = await bed.query(
        ofDataset(
          `one: ${filter('a', 'c')} two: ${filter('b', 'a')} three: ${filter('c', 'a')} asset(assetId: "c") { name }`,
        ),
      );
      expect(outline(response)).toEqual({
        data: { dataset: { one: nodes([]), two: null, three: nodes([]), asset: { name: 'Field c' } } },
        errors: ['dataset.two FORBIDDEN'],
      });
      expect(filters(bed)).toContainEqual({ mo_ids: ['c'] });
    });
  });
});
