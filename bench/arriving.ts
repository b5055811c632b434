import { request as send } from 'undici';
import type { Hazard } from './hazards.ts';
import type { LoadRequest } from './load.ts';
import { graphqlRequest, sendOnce } from './requests.ts';
import { allRows, large, ofDataset } from './workloads.ts';

/** A large body that comes over a network of 1 Gbit/s: how long after its last byte the response begins. */
export const arriving: Hazard = {
  title: '1000x365x3 over 1 Gbit/s',
  rounds: 3,
  figures: [
    {
      figure: 'from the last REST byte to the first response byte, against the whole time without the network',
      limit: 'at most',
      must: 0.1,
      aim: 0.03,
      unit: 'x',
    },
  ],
  measure: async (subgraph, upstreamUrl) => {
    const started = performance.now();
    await sendOnce(graphqlRequest(subgraph, large.query));
    const wholeMs = performance.now() - started;
    const firstByteAt = await firstByte(graphqlRequest(subgraph, ofDataset('1000x365x3-over-1-gbit', allRows)));
    const { origin } = new URL(upstreamUrl);
    const { body } = await send(`${origin}/__last-byte`);
    const { lastByteAt } = (await body.json()) as { lastByteAt: number };
    const gapMs = firstByteAt - lastByteAt;
    return { measured: [gapMs / wholeMs], note: [`${gapMs.toFixed(1)} ms of ${wholeMs.toFixed(0)} ms`] };
  },
};

/** Sends a request; when the first byte of its body came, in milliseconds since the epoch. */
async function firstByte({ origin, path, ...request }: LoadRequest): Promise<number> {
  const { body } = await send(origin + path, request);
  let at: number | undefined;
  for await (const _ of body) at ??= performance.timeOrigin + performance.now();
  if (at === undefined) throw new Error('The response is empty.');
  return at;
}
