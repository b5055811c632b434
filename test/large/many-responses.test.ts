import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { mismatchOf } from '../oracle/compare.ts';
import { respond, type Service } from '../oracle/respond.ts';
import { startServer } from '../oracle/server.ts';
import { DATASET_ID } from '../support/harness.ts';

/** An answer in which one asset has many rows; no two answers have a row in common. */
function largeResponse(assetId: string, rowCount: number): string {
  const row = (index: number) =>
    `{"value_date":"${assetId}/${index}","metrics":[{"name":"moisture","value":${assetId}.${index}},{"name":"temperature","value":-${index}.5}]}`;
  return `{"assets":[{"asset_id":"${assetId}","results":[${Array.from({ length: rowCount }, (_, index) => row(index))}]}]}`;
}

/** A service whose results are those of the asset that is asked for. */
const serviceOf = (body: (id: string) => string): Service => ({
  metadata: () => ({ status: 200, body: '{}' }),
  results: (_, { assetIds: [id = ''] = [] }) => ({ status: 200, body: body(id) }),
});

const document = `
  query ($id: ID!, $assetIds: [ID!]) {
    dataset(id: $id) { results(filter: { assetIds: $assetIds }) { series { nodes { rows { ...row } ...columns } } } }
  }
  fragment row on Result { metrics { value name } valueDate }
  fragment columns on AssetSeries { columns { valueDates metrics { name values } } }
`;

async function serving(body: (id: string) => string, env: Record<string, string> = {}) {
  const service = serviceOf(body);
  const server = Object.assign(await startServer({ env: { LOG_LEVEL: 'warn', ...env } }), { service });
  const send = async (...assetIds: string[]) =>
    JSON.parse((await server.send(document, { id: DATASET_ID, assetIds })) ?? '{}');
  const expectRight = async (assetId: string) => {
    const expected = respond(parse(document), { id: DATASET_ID, assetIds: [assetId] }, service);
    expect(mismatchOf(await send(assetId), expected)).toBeUndefined();
  };
  return { server, send, expectRight };
}

describe('3.33 Large responses have the rows of their own body alone', () => {
  it('where they are written at the same time and one after another', async () => {
    const { server, expectRight } = await serving((id) => largeResponse(id, 8_000 * (1 + (Number(id) % 4))));
    for (const round of [0, 10, 20]) await Promise.all([0, 1, 2].map((at) => expectRight(String(round + at))));
    expect(server.bed.subgraph.oddRows.count).toBe(0);
  });

  it('where another one is still read for an operation that has failed', async () => {
    const body = (id: string) => (id === 'broken' ? '' : largeResponse(id, 40_000));
    const { server, send, expectRight } = await serving(body, { ASSET_IDS_PER_CALL: '1' });
    for (let round = 0; round < 3; round += 1) {
      const { data, errors } = await send('1', '2', 'broken');
      expect(data).toEqual({ dataset: { results: null } });
      expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } }]);
      await expectRight('3');
    }
    expect(server.bed.log).toEqual([]);
  });
});
