import { describe, expect, it } from 'vitest';
import { assetReference, datasetReference, gate, ofDataset, ofEntities, outline, start } from '../support/harness.ts';
import { answerRead, askedFor, datasetOf, day1, filters, ids, later, NODES } from '../support/merging.ts';

describe('3.11 A POST that is given up', () => {
  /** Short, because a field that is never answered holds up the end of its test for that long. */
  const env = { OPERATION_TIMEOUT_MS: '3000', ASSET_IDS_PER_CALL: '2' };

  it('because a part of it failed does not hold up attributes that wait for it', async () => {
    const bed = await start({ env, datasets: [datasetOf('abcd')] });
    const lacking = answerRead(bed);
    bed.simulator.intercept(async (request) => {
      const asked = askedFor(request)?.join('');
      if (asked === 'c') return { hang: true };
      if (asked === 'd') lacking.follow(request);
      if (asked !== 'ab') return undefined;
      await lacking.opened;
      return { status: 500 };
    });
    const response = await bed.query(
      ofDataset(`
        results(filter: { ${ids('a', 'b', 'c')}, ${day1.graphql} }) ${NODES}
        asset(assetId: "d") { name series(filter: { ${later.graphql} }) { rowCount } }`),
    );
    expect(outline(response)).toEqual({
      data: { dataset: { results: null, asset: { name: 'Field d', series: null } } },
      errors: ['dataset.results UPSTREAM_ERROR'],
    });
    expect(filters(bed)).toContainEqual({ mo_ids: ['d'] });
  });

  it('with its dataset does not hold up attributes that wait for it', async () => {
    const bed = await start({ env });
    const lacking = answerRead(bed);
    bed.simulator.intercept(async (request) => {
      if (request.operation === 'getDatasetMetadata') {
        await lacking.opened;
        return { status: 404 };
      }
      if (askedFor(request)?.join('') === 'a') return { hang: true };
      lacking.follow(request);
      return undefined;
    });
    const response = await bed.query(
      ofEntities(`
        ... on Dataset { name results(filter: { ${ids('a')}, ${day1.graphql} }) ${NODES} }
        ... on Asset { name series(filter: { ${later.graphql} }) { rowCount } }`),
      { variables: { references: [datasetReference(), assetReference('b')] } },
    );
    expect(outline(response)).toEqual({
      data: { _entities: [null, { name: 'Field b', series: null }] },
      errors: ['_entities.0 NOT_FOUND'],
    });
  });

  it('with its dataset is made again for an asset that needs it later', async () => {
    const bed = await start({ env });
    const [underWay, givenUp] = [gate(), gate()];
    let firstOfRange = true;
    bed.simulator.intercept(async (request) => {
      if (request.operation === 'getDatasetMetadata') {
        await underWay.opened;
        return { status: 404 };
      }
      if (firstOfRange && 'time_range' in JSON.parse(request.body)) {
        firstOfRange = false;
        underWay.open();
        request.outcome.then(givenUp.open);
        return { hang: true };
      }
      await givenUp.opened;
      return undefined;
    });
    const response = await bed.query(
      ofEntities(`
        ... on Dataset { name asset(assetId: "a") { series(filter: { ${day1.graphql} }) { rowCount } } }
        ... on Asset { series { asset { series(filter: { ${day1.graphql} }) { rowCount } } } }`),
      { variables: { references: [datasetReference(), assetReference('a')] } },
    );
    expect(outline(response)).toEqual({
      data: { _entities: [null, { series: { asset: { series: { rowCount: 1 } } } }] },
      errors: ['_entities.0 NOT_FOUND'],
    });
  });
});
