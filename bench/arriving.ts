import { setTimeout } from 'node:timers/promises';
import { request as send } from 'undici';
import type { Hazard } from './hazards.ts';
import type { LoadRequest } from './load.ts';
import { residentBytes, watchPeak } from './process-figures.ts';
import { graphqlRequest, requestFor, sendOnce } from './requests.ts';
import { allRows, large, largeFile, ofDataset, passing } from './workloads.ts';

const MEGABYTE = 1e6;
/** A dataset whose results have 48 MB. */
export const FORTY_EIGHT = '680x365x3';
const { query: ofFortyEight } = passing(FORTY_EIGHT, '');
/** The buffers of an earlier response have been given back. */
const REST_MS = 12_000;

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
    const firstByteAt = await firstByte(graphqlRequest(subgraph, ofDataset('1000x365x3-at-125-mb-s', allRows)));
    const { lastByteAt } = await paced(upstreamUrl);
    const gapMs = firstByteAt - lastByteAt;
    return { measured: [gapMs / wholeMs], note: [`${gapMs.toFixed(1)} ms of ${wholeMs.toFixed(0)} ms`] };
  },
};

/** Results that pass: how much of them has to come before the client has something, and how much memory they take. */
export const onItsWay: Hazard = {
  title: '48 MB that pass',
  rounds: 1,
  figures: [
    {
      figure: 'at 35 MB/s, share of the REST body when the client has 200 kB',
      limit: 'at most',
      must: 20,
      aim: 5,
      unit: ' %',
    },
    { figure: 'peak above idle, one reader', limit: 'at most', must: 40, aim: 20, unit: ' MB' },
    { figure: 'peak above idle, six readers of 20 MB/s', limit: 'at most', must: 120, aim: 60, unit: ' MB' },
    { figure: 'peak above idle, 1000x365x3 as a CSV file', limit: 'at most', must: 20, unit: ' MB' },
  ],
  measure: async (subgraph, upstreamUrl) => {
    const file = requestFor(subgraph, largeFile) as LoadRequest;
    await readAt(file, Number.POSITIVE_INFINITY);
    const request = graphqlRequest(subgraph, ofFortyEight);
    const size = (await sendOnce(request)).length;
    const slow = graphqlRequest(subgraph, passing(`${FORTY_EIGHT}-at-35-mb-s`, '').query);
    let seen: Promise<{ bytes: number }> | undefined;
    await readAt(slow, Number.POSITIVE_INFINITY, (bytes) => {
      if (bytes >= 200_000) seen ??= paced(upstreamUrl);
    });
    const whole = await paced(upstreamUrl);
    const peakOf = async (readers: number, bytesPerMs: number, of: LoadRequest) => {
      await setTimeout(REST_MS);
      const idle = residentBytes(subgraph.pid);
      const peak = watchPeak(subgraph.pid);
      await Promise.all(Array.from({ length: readers }, () => readAt(of, bytesPerMs)));
      const bytes = peak();
      return bytes === undefined || idle === undefined ? undefined : (bytes - idle) / MEGABYTE;
    };
    const share = ((await seen)?.bytes ?? whole.bytes) / whole.bytes;
    return {
      measured: [
        share * 100,
        await peakOf(1, Number.POSITIVE_INFINITY, request),
        await peakOf(6, 20_000, request),
        await peakOf(1, Number.POSITIVE_INFINITY, file),
      ],
      note: [`of ${(whole.bytes / MEGABYTE).toFixed(0)} MB`, `a response of ${(size / MEGABYTE).toFixed(0)} MB`],
    };
  },
};

/** Counting the assets of more datasets than fit in memory. */
export const counting: Hazard = {
  title: '40 datasets x 48 MB, only their counts',
  env: { MEMORY_BUDGET: String(256 * 2 ** 20) },
  rounds: 1,
  figures: [
    { figure: 'datasets with a count', limit: 'at least', must: 40, unit: '' },
    { figure: 'peak of resident memory', limit: 'at most', must: 600, aim: 350, unit: ' MB' },
  ],
  measure: async (subgraph) => {
    const ids = Array.from({ length: 40 }, (_, index) => `${FORTY_EIGHT}-copy-${index}`);
    const document = 'query Bench($ids: [ID!]!) { datasetsByIds(ids: $ids) { results { series { totalCount } } } }';
    const peak = watchPeak(subgraph.pid);
    const text = (await sendOnce(graphqlRequest(subgraph, { document, variables: { ids } }))).toString();
    const bytes = peak();
    return { measured: [text.split('"totalCount":680').length - 1, bytes && bytes / MEGABYTE] };
  },
};

/** How far the last paced body is. */
export async function paced(upstreamUrl: string): Promise<{ bytes: number; lastByteAt: number }> {
  const { body } = await send(`${new URL(upstreamUrl).origin}/__paced`);
  return (await body.json()) as { bytes: number; lastByteAt: number };
}

/** Reads a response no faster than so many bytes in a millisecond. */
export async function readAt(
  { origin, path, ...request }: LoadRequest,
  bytesPerMs: number,
  onBytes: (bytes: number) => void = () => {},
): Promise<void> {
  const { body } = await send(origin + path, request);
  const started = performance.now();
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    onBytes(bytes);
    const early = bytes / bytesPerMs - (performance.now() - started);
    if (early >= 1) await setTimeout(early);
  }
}

/** Sends a request; when the first byte of its body came, in milliseconds since the epoch. */
async function firstByte({ origin, path, ...request }: LoadRequest): Promise<number> {
  const { body } = await send(origin + path, request);
  let at: number | undefined;
  for await (const _ of body) at ??= performance.timeOrigin + performance.now();
  if (at === undefined) throw new Error('The response is empty.');
  return at;
}
