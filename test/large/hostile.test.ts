import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { aggregates, bodies, computedBodies, producers } from './hostile.ts';
import { expectHarmless, whileOthersWait } from './others.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

/** The work of an operation: so little that its largest response takes a moment. */
const WORK = 20_000_000;
/** How much longer than its budget a response may be: what is not results, and its last step. */
const MAX_EXCESS = 1.1;
const subgraph = new SeparateSubgraph({ MAX_OPERATION_WORK: String(WORK) });

/** Asks, and looks on: the bytes of the response, its first characters, and what others saw. */
async function ask(selection: string) {
  return whileOthersWait(subgraph, async () => {
    const { body } = await request(`${subgraph.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: JSON.stringify({ query: `{ dataset(id: "${DATASET_ID}") { results { ${selection} } } }` }),
    });
    let bytes = 0;
    let start = '';
    for await (const chunk of body) {
      if (start.length < 2000) start += chunk.toString('utf8', 0, 2000);
      bytes += chunk.length;
    }
    return { bytes, start };
  });
}

describe.each(Object.entries(bodies))('3.27 Of %s', (title, makeBody) => {
  beforeAll(() => {
    const body = makeBody();
    subgraph.answer = () => body;
  });

  const onSeries = Object.entries(producers).map(([name, selection]) => [name, `series { ${selection} }`] as const);
  const computed = computedBodies.has(title) ? Object.entries(aggregates) : [];
  it.each([...onSeries, ...computed])('%s cost no more than an operation may', async (_name, selection) => {
    await expectHarmless(subgraph, async () => {
      const { bytes, start, ...seen } = await ask(selection);
      expect(start).toMatch(/^{"data":|REQUEST_LIMIT_EXCEEDED/);
      expect(bytes).toBeLessThan(WORK * MAX_EXCESS);
      return seen;
    });
  });
});
