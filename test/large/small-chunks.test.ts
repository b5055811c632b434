import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { expectHarmless, whileOthersWait } from './others.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

const subgraph = new SeparateSubgraph();
const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };

/** A response in chunks of a byte each (RFC 9112, section 7.1). */
function inSmallChunks(body: Buffer): Buffer {
  const chunks = Buffer.from('1\r\n?\r\n'.repeat(body.length));
  for (const [at, byte] of body.entries()) chunks[at * 6 + 3] = byte;
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
  return Buffer.concat([Buffer.from(head), chunks, Buffer.from('0\r\n\r\n')]);
}

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
