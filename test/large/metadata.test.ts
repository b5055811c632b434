import { request } from 'undici';
import { describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { expectHarmless, whileOthersWait } from './others.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

const subgraph = new SeparateSubgraph();
const headers = { 'content-type': 'application/json', authorization: 'Bearer x' };
const fill = (length: number, each: (at: number) => string) => Array.from({ length }, (_, at) => each(at)).join();

/** Metadata of almost the 4 MB that they may have. */
const bodies: Readonly<Record<string, () => string>> = {
  'an escape, and a list of numbers that nobody knows': () => `{"name":"a\\n","x":[${fill(1_900_000, () => '1')}]}`,
  'members that nobody knows': () => `{"name":"a\\n",${fill(380_000, (at) => `"${at % 10}":1`)}}`,
  'members that are known': () => `{${fill(290_000, () => '"name":"a\\n"')}}`,
  'a list in the place of a text': () => `{"name":"a\\n","description":[${fill(950_000, () => '"a"')}]}`,
  'deep values': () => `{"name":"a\\n",${fill(1900, () => `"x":${'['.repeat(998)}${']'.repeat(998)}`)}}`,
  'a long text with escapes': () => `{"name":"a\\n","description":"${'\\n'.repeat(1_900_000)}"}`,
  'long texts of the same name': () =>
    `{"name":"a\\n",${fill(10, () => `"description":"${'\\u0041'.repeat(60_000)}"`)}}`,
};

describe('3.27 Of metadata with', () => {
  it.each(Object.entries(bodies))('%s, twenty in one operation keep nobody waiting', async (_title, makeBody) => {
    const answer = Buffer.from(makeBody());
    expect(answer.length).toBeLessThan(4 * 2 ** 20);
    subgraph.answer = () => answer;
    const ids = Array.from({ length: 20 }, (_, index) => DATASET_ID.replace(/..$/, String(index + 10)));
    const query = `{ ${ids.map((id, index) => `d${index}: dataset(id: "${id}") { name assetCount }`).join(' ')} }`;
    await expectHarmless(subgraph, () =>
      whileOthersWait(subgraph, async () => {
        const { body } = await request(`${subgraph.origin}/graphql`, {
          method: 'POST',
          headers,
          body: JSON.stringify({ query }),
        });
        const dataset = { name: 'a\n', assetCount: null };
        expect(await body.json()).toEqual({ data: Object.fromEntries(ids.map((_, index) => [`d${index}`, dataset])) });
        return {};
      }),
    );
  });
});
