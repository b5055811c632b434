import { beforeAll, describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { aggregates, bodies, producers, worst } from './hostile.ts';
import { expectHarmless, whileOthersWait } from './others.ts';
import { SeparateSubgraph } from './separate-subgraph.ts';

/** The work of an operation: so little that its largest response takes a moment. */
const WORK = 20_000_000;
/** How much longer than its budget a response may be: what cannot be null, as much again; what is not results; and its last step. */
const MAX_EXCESS = 2.1;
const subgraph = new SeparateSubgraph({ MAX_OPERATION_WORK: String(WORK) });

/** Asks, and looks on: the bytes of the response, its first characters, and what others saw. */
async function ask(selection: string) {
  return whileOthersWait(subgraph, async () => {
    const body = await subgraph.query(`{ dataset(id: "${DATASET_ID}") { results { ${selection} } } }`);
    let bytes = 0;
    let start = '';
    try {
      for await (const chunk of body) {
        if (start.length < 2000) start += chunk.toString('utf8', 0, 2000);
        bytes += chunk.length;
      }
    } catch {
      // What cannot be null has reached the limit once more.
      expect(bytes).toBeGreaterThan(WORK);
    }
    return { bytes, start };
  });
}

const selections = { ...aggregates, ...Object.fromEntries(Object.entries(producers).map(ofSeries)) };
function ofSeries([name, selection]: [string, string]): [string, string] {
  return [name, `series { ${selection} }`];
}

it('3.27 Each body, and each selection, is tried', () => {
  expect(Object.keys(worst)).toEqual(Object.keys(bodies));
  expect(new Set(Object.values(worst).flat())).toEqual(new Set(Object.keys(selections)));
});

describe.each(Object.entries(bodies))('3.27 Of %s', (title, makeBody) => {
  beforeAll(() => {
    const body = makeBody();
    subgraph.answer = () => body;
  });

  it.each(worst[title] ?? [])('%s cost no more than an operation may', async (name) => {
    await expectHarmless(subgraph, async () => {
      const { bytes, start, ...seen } = await ask(selections[name] as string);
      expect(start).toMatch(/^{"data":|REQUEST_LIMIT_EXCEEDED/);
      expect(bytes).toBeLessThan(WORK * MAX_EXCESS);
      return seen;
    });
  });
});
