import { request } from 'undici';
import { beforeAll, describe, expect, it } from 'vitest';
import { DATASET_ID } from '../support/harness.ts';
import { aggregates, bodies, computedBodies, producers } from './hostile.ts';
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
    const { body } = await request(`${subgraph.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: JSON.stringify({ query: `{ dataset(id: "${DATASET_ID}") { results { ${selection} } } }` }),
    });
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

/** A step of the hash FNV-1a of 32 bits. */
const step = (hash: number, byte: number) => Math.imul(hash ^ byte, 0x01000193);
const fnv = (hash: number, text: string) => Buffer.from(text).reduce(step, hash);

/** Names of ten parts, of each of which there are two with the same hash, behind the texts around the date of a row. */
function sameHash(beforeDate: string, afterDate: string): string[] {
  let hash = fnv(step(fnv(0x811c9dc5, beforeDate), 0x100), afterDate);
  let names = [''];
  for (let part = 0; part < 10; part += 1) {
    const known = new Map<number, string>();
    for (let number = 0; ; number += 1) {
      const text = number.toString(36).padStart(6, '0');
      const next = fnv(hash, text);
      const other = known.get(next);
      known.set(next, text);
      if (other === undefined) continue;
      names = names.flatMap((name) => [name + other, name + text]);
      hash = next;
      break;
    }
  }
  return names;
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

describe('3.27 Of 1024 names with the same FNV-1a hash', () => {
  beforeAll(() => {
    const names = sameHash('{"value_date":', ',"metrics":[{"name":"');
    const rows = Array.from({ length: 30_000 }, (_, at) => {
      const metrics = [{ name: names[(at * 7919) % names.length], value: at }];
      return JSON.stringify({ value_date: '2024-01-01', metrics });
    });
    const body = Buffer.from(`{"assets":[{"asset_id":"a","results":[${rows.join()}]}]}`);
    subgraph.answer = () => body;
  });

  it.each(['rowCount', 'metricNames', 'rows { metrics { name } }'])('%s is as fast as of others', async (selection) => {
    await expectHarmless(subgraph, async () => {
      const { bytes, start, ...seen } = await ask(`series { nodes { ${selection} } }`);
      expect(start).toMatch(/^{"data":/);
      expect(bytes).toBeGreaterThan(0);
      return seen;
    });
  });
});
