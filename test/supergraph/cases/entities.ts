import { expect } from 'vitest';
import { DATASET_ID, getSummary, outline, postResults } from '../../support/harness.ts';
import { PRIVATE_ID, visit, WIDE_ID } from '../data.ts';
import type { Cases } from './case.ts';

export const entities: Cases = {
  "joins our fields to other subgraphs' datasets, and theirs to ours": async ({ query, calls, others }) => {
    others.collections.set('c', { title: 'Fields', datasetIds: [DATASET_ID, WIDE_ID] });
    const { body } = await query(`{
      collection(id: "c") { title datasets { id name } }
      dataset(id: "${DATASET_ID}") {
        assetCount
        collections { nodes { id title } pageInfo { hasNextPage endCursor } }
      }
    }`);
    expect(body).toEqual({
      data: {
        collection: {
          title: 'Fields',
          datasets: [
            { id: DATASET_ID, name: 'Soil moisture' },
            { id: WIDE_ID, name: 'Soil moisture' },
          ],
        },
        dataset: {
          assetCount: 3,
          collections: {
            nodes: [{ id: 'c', title: 'Fields' }],
            pageInfo: { hasNextPage: false, endCursor: 'c' },
          },
        },
      },
    });
    // The gateway fetches the collection's datasets in a separate operation.
    expect(calls().toSorted()).toEqual([getSummary(), getSummary(), getSummary(WIDE_ID)].toSorted());
  },

  "joins our fields to other subgraphs' assets, and theirs to ours": async ({ query, calls, others }) => {
    others.inspections.set('r', [visit('i-1', 'b'), visit('i-2', 'a')]);
    const { body } = await query(`{
      inspections(round: "r") { id date place { latitude } asset { assetId name sign series { rowCount } } }
      dataset(id: "${DATASET_ID}") {
        results { series { nodes { asset { assetId surfaceAreaM2 sign lastInspection { id asset { name } } } } } }
      }
    }`);
    const visited = (assetId: string, id: string) => ({
      id,
      date: '2024-06-01T08:00:00.000Z',
      place: { latitude: 45.25 },
      asset: { assetId, name: `Field ${assetId}`, sign: `Field ${assetId}, version 1`, series: { rowCount: 3 } },
    });
    const node = (assetId: string, id?: string) => ({
      asset: {
        assetId,
        surfaceAreaM2: 1200.5,
        sign: `Field ${assetId}, version 1`,
        lastInspection: id === undefined ? null : { id, asset: { name: `Field ${assetId}` } },
      },
    });
    expect(body).toEqual({
      data: {
        inspections: [visited('b', 'i-1'), visited('a', 'i-2')],
        dataset: { results: { series: { nodes: [node('a', 'i-2'), node('b', 'i-1'), node('c')] } } },
      },
    });
    const made = calls();
    expect(new Set(made)).toEqual(
      new Set([postResults({}), postResults({ mo_ids: ['b', 'a'] }), postResults({ mo_ids: ['a', 'b'] })]),
    );
    expect(made).toHaveLength(3);
  },

  'keeps good datasets when others of the list are missing or fail': async ({ query, calls, others, gateway }) => {
    others.collections.set('c', { title: 'Fields', datasetIds: [DATASET_ID, 'nowhere', PRIVATE_ID, WIDE_ID] });
    const response = outline(await query('{ collection(id: "c") { datasets { id name startDate } } }'));
    const good = { name: 'Soil moisture', startDate: '1704067200000' };
    const none = { name: null, startDate: null };
    const missing = gateway.habits.missingEntity === 'nulls' ? none : { name: null };
    const hasListIndex = gateway.habits.entityErrors === 'has its index';
    expect(response).toEqual({
      data: {
        collection: {
          datasets: [
            { id: DATASET_ID, ...good },
            { id: 'nowhere', ...missing },
            { id: PRIVATE_ID, ...none },
            { id: WIDE_ID, ...good },
          ],
        },
      },
      errors: hasListIndex
        ? [
            'collection.datasets.1 NOT_FOUND',
            'collection.datasets.2.name FORBIDDEN',
            'collection.datasets.2.startDate FORBIDDEN',
          ]
        : [
            'collection.datasets.name FORBIDDEN',
            'collection.datasets.name NOT_FOUND',
            'collection.datasets.startDate FORBIDDEN',
            'collection.datasets.startDate NOT_FOUND',
          ],
    });
    expect(calls().toSorted()).toEqual(
      [getSummary(), getSummary('nowhere'), getSummary(PRIVATE_ID), getSummary(WIDE_ID)].toSorted(),
    );
  },

  'keeps good assets when others of the list are missing or fail': async ({ query, calls, others, gateway }) => {
    const visits = [visit('1', 'a'), visit('2', 'gone'), visit('3', 'a', PRIVATE_ID), visit('4', 'b')];
    others.inspections.set('r', visits);
    const response = outline(await query('{ inspections(round: "r") { id asset { assetId name sign } } }'));
    const good = (assetId: string) => ({ assetId, name: `Field ${assetId}`, sign: `Field ${assetId}, version 1` });
    const { signs, entityErrors } = gateway.habits;
    expect(response).toEqual({
      data: {
        inspections: [
          { id: '1', asset: good('a') },
          { id: '2', asset: { assetId: 'gone', name: null, sign: signs.missing } },
          { id: '3', asset: { assetId: 'a', name: null, sign: signs.failing } },
          { id: '4', asset: good('b') },
        ],
      },
      errors:
        entityErrors === 'has its index'
          ? ['inspections.2.asset.name FORBIDDEN', 'inspections.2.asset.version FORBIDDEN']
          : ['inspections.0.asset.name FORBIDDEN'],
    });
    expect(calls().toSorted()).toEqual(
      [postResults({ mo_ids: ['a', 'gone', 'b'] }), postResults({ mo_ids: ['a'] }, PRIVATE_ID)].toSorted(),
    );
  },

  'fetches 200 assets with one REST call for each dataset': async ({ query, calls, others }) => {
    const visits = Array.from({ length: 200 }, (_, index) =>
      index % 2 === 0 ? visit(`${index}`, `asset-${index / 2}`, WIDE_ID) : visit(`${index}`, 'abc'.charAt(index % 3)),
    );
    others.inspections.set('r', visits);
    const { body } = await query('{ inspections(round: "r") { asset { assetId name } } }');
    expect(body).toEqual({
      data: { inspections: visits.map(({ assetId }) => ({ asset: { assetId, name: `Field ${assetId}` } })) },
    });
    const wide = visits.filter(({ datasetId }) => datasetId === WIDE_ID).map(({ assetId }) => assetId);
    expect(wide).toHaveLength(100);
    expect(calls().toSorted()).toEqual(
      [postResults({ mo_ids: ['b', 'a', 'c'] }), postResults({ mo_ids: wide }, WIDE_ID)].toSorted(),
    );
  },
};
