import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { inSmallChunks } from '../support/pieces.ts';
import { expectHarmless, whileOthersWait } from './others.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

const subgraph = new SeparateSubgraph();
const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };

describe('3.27 Of bodies in chunks of one byte', () => {
  it.each([
    ['sixteen', 16, 400_000],
    ['four that are read while they arrive', 4, 1_200_000],
  ])(
    '%s take the memory of their bytes, and keep nobody waiting',
    { timeout: 120_000 },
    async (_title, bodies, bytes) => {
      const answer = inSmallChunks(Buffer.from(`{"processing_id":"p","more":"${'x'.repeat(bytes - 31)}"}`));
      subgraph.isRaw = true;
      subgraph.answer = () => answer;
      const ask = async (id: string) => {
        const query = `{ dataset(id: "${id}") { results { processingId } } }`;
        const { body } = await request(`${subgraph.origin}/graphql`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ query }),
        });
        return await body.json();
      };
      await expectHarmless(subgraph, () =>
        whileOthersWait(subgraph, async () => {
          const ids = Array.from({ length: bodies }, (_, index) => DATASET_ID.replace(/..$/, String(index + 10)));
          const answers = await Promise.all(ids.map(ask));
          expect(answers).toEqual(ids.map(() => ({ data: { dataset: { results: { processingId: 'p' } } } })));
          return {};
        }),
      );
    },
  );
});
