import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { inSmallChunks } from '../support/pieces.ts';
import { expectHarmless, whileOthersWait } from './others.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

const subgraph = new SeparateSubgraph();
const fill = (length: number, each: (at: number) => string) => Array.from({ length }, (_, at) => each(at)).join();
/** Ids of so many datasets. */
const idsOf = (count: number) => Array.from({ length: count }, (_, at) => DATASET_ID.replace(/..$/, String(at + 10)));

/** Expects the data of an operation, or of several at once, while nobody waits for it. */
async function expectData(queries: readonly string[], expected: readonly unknown[]): Promise<void> {
  await expectHarmless(subgraph, () =>
    whileOthersWait(subgraph, async () => {
      const found = await Promise.all(queries.map(async (query) => (await subgraph.query(query)).json()));
      expect(found).toEqual(expected.map((data) => ({ data })));
      return {};
    }),
  );
}

/** Metadata of almost the 4 MB that they may have. */
const metadata: Readonly<Record<string, () => string>> = {
  'an escape, and a list of numbers that nobody knows': () => `{"name":"a\\n","x":[${fill(1_900_000, () => '1')}]}`,
  'members that nobody knows': () => `{"name":"a\\n",${fill(380_000, (at) => `"${at % 10}":1`)}}`,
  'members that are known': () => `{${fill(290_000, () => '"name":"a\\n"')}}`,
  'deep values': () => `{"name":"a\\n",${fill(1900, () => `"x":${'['.repeat(998)}${']'.repeat(998)}`)}}`,
  'a long text with escapes': () => `{"name":"a\\n","description":"${'\\n'.repeat(1_900_000)}"}`,
};

describe('3.27 Of metadata with', () => {
  it.each(Object.entries(metadata))('%s, twenty in one operation keep nobody waiting', async (_title, makeBody) => {
    const answer = Buffer.from(makeBody());
    expect(answer.length).toBeLessThan(4 * 2 ** 20);
    subgraph.answer = () => answer;
    const ids = idsOf(20);
    const query = `{ ${ids.map((id, index) => `d${index}: dataset(id: "${id}") { name assetCount }`).join(' ')} }`;
    const dataset = { name: 'a\n', assetCount: null };
    await expectData([query], [Object.fromEntries(ids.map((_, index) => [`d${index}`, dataset]))]);
  });
});

describe('3.27 Of a body of 230 MB that is kept', () => {
  const ASSETS = 230;

  it.each([true, false])(
    'nobody waits while it grows; with its length: %s',
    { timeout: 120_000 },
    async (hasLength) => {
      // Of assets of a megabyte each, whose memory is mostly that of the body.
      const parts = Array.from({ length: ASSETS }, (_, at) => {
        const asset = `{"asset_id":"a${at}","results":[{"value_date":"2024-01-01","metrics":[{"name":"m","value":${at}}]}],"more":"`;
        return Buffer.from(`${at === 0 ? '{"assets":[' : ','}${asset.padEnd(999_997, 'x')}"}`);
      });
      const body = Buffer.concat([...parts, Buffer.from(']}')]);
      subgraph.answer = () => body;
      subgraph.hasLength = hasLength;
      const series = 'series { nodes { asset { assetId } rows { valueDate metrics { value } } } }';
      const nodes = Array.from({ length: ASSETS }, (_, at) => {
        return { asset: { assetId: `a${at}` }, rows: [{ valueDate: '2024-01-01', metrics: [{ value: at }] }] };
      });
      const query = `{ dataset(id: "${DATASET_ID}") { results { one: ${series} two: ${series} } } }`;
      await expectData([query], [{ dataset: { results: { one: { nodes }, two: { nodes } } } }]);
    },
  );
});

describe('3.27 Of bodies in chunks of one byte', () => {
  it.each([
    ['sixteen', 16, 400_000],
    ['four that are read while they arrive', 4, 1_200_000],
  ])(
    '%s take the memory of their bytes, and keep nobody waiting',
    { timeout: 120_000 },
    async (_title, count, bytes) => {
      const answer = inSmallChunks(Buffer.from(`{"processing_id":"p","more":"${'x'.repeat(bytes - 31)}"}`));
      subgraph.isRaw = true;
      subgraph.answer = () => answer;
      const queries = idsOf(count).map((id) => `{ dataset(id: "${id}") { results { processingId } } }`);
      await expectData(
        queries,
        queries.map(() => ({ dataset: { results: { processingId: 'p' } } })),
      );
    },
  );
});
