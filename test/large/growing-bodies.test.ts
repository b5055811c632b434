import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { expectHarmless, whileOthersWait } from './others.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

const subgraph = new SeparateSubgraph();
const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };
const ASSETS = 230;
const MEGABYTE = 1_000_000;

/** A body of 230 MB: assets of a megabyte each, whose memory is mostly that of the body. */
function largeBody(): Buffer {
  const assets = Array.from({ length: ASSETS }, (_, at) => {
    const asset = `{"asset_id":"a${at}","results":[{"value_date":"2024-01-01","metrics":[{"name":"m","value":${at}}]}],"more":"`;
    return Buffer.from(`${asset.padEnd(MEGABYTE - 3, 'x')}"}`);
  });
  const parts = assets.flatMap((asset, at) => [Buffer.from(at === 0 ? '{"assets":[' : ','), asset]);
  return Buffer.concat([...parts, Buffer.from(']}')]);
}

describe('3.27 Of a body of 230 MB that is kept', () => {
  const body = largeBody();
  beforeAll(() => {
    subgraph.answer = () => body;
  });

  it.each([
    ['with its length', true],
    ['without its length', false],
  ])('%s, nobody waits while it grows', { timeout: 120_000 }, async (_title, hasLength) => {
    subgraph.hasLength = hasLength;
    const selection = 'nodes { asset { assetId } rows { valueDate metrics { value } } }';
    const query = `{ dataset(id: "${DATASET_ID}") { results { one: series { ${selection} } two: series { ${selection} } } } }`;
    const nodes = Array.from({ length: ASSETS }, (_, at) => {
      return { asset: { assetId: `a${at}` }, rows: [{ valueDate: '2024-01-01', metrics: [{ value: at }] }] };
    });
    await expectHarmless(subgraph, () =>
      whileOthersWait(subgraph, async () => {
        const answer = await request(`${subgraph.origin}/graphql`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ query }),
        });
        expect(await answer.body.json()).toEqual({
          data: { dataset: { results: { one: { nodes }, two: { nodes } } } },
        });
        return {};
      }),
    );
  });
});
