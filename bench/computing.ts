import { setTimeout } from 'node:timers/promises';
import { paced, readAt } from './arriving.ts';
import type { Hazard } from './hazards.ts';
import type { LoadRequest } from './load.ts';
import { residentBytes, watchPeak } from './process-figures.ts';
import type { Ratio } from './ratios.ts';
import { graphqlRequest, sendOnce } from './requests.ts';
import { byDate, LARGE, months, ofDataset, statistics } from './workloads.ts';

const MEGABYTE = 1e6;
/** The buffers of an earlier response have been given back. */
const REST_MS = 12_000;

const kinds = [
  { name: 'statistics', selection: `results { series { nodes { asset { assetId } ${statistics} } } }`, must: 40 },
  { name: 'months', selection: `results { series { nodes { asset { assetId } ${months} } } }`, must: 40 },
  { name: 'by date', selection: `results { ${byDate} }`, must: 80 },
] as const;
/** Shows that the response passes. The others are so small that all of it is held for the first chunk, or depend on all rows. */
const passing = kinds.filter(({ name }) => name === 'months');

const atMost = { limit: 'at most', unit: ' %' } as const satisfies Partial<Ratio>;

/** What is computed from results that pass: that the response passes too, and how much memory it takes. */
export const computing: Hazard = {
  title: `${LARGE} that passes`,
  rounds: 1,
  figures: [
    ...passing.map(({ name }) => ({
      figure: `${name} at 35 MB/s, share of the REST body when the client has a quarter of the response`,
      ...atMost,
      must: 50,
      aim: 35,
    })),
    ...kinds.map(({ name, must }) => ({
      figure: `${name}, peak above idle`,
      limit: 'at most' as const,
      must,
      aim: 20,
      unit: ' MB' as const,
    })),
  ],
  measure: async (subgraph, upstreamUrl) => {
    const requestOf = (selection: string, id: string = LARGE) => graphqlRequest(subgraph, ofDataset(id, selection));
    const sizes: number[] = [];
    for (const { selection } of kinds) sizes.push((await sendOnce(requestOf(selection))).length);
    const shares: number[] = [];
    for (const kind of passing) {
      const { selection } = kind;
      const quarter = (sizes[kinds.indexOf(kind)] as number) / 4;
      shares.push(await shareAt(requestOf(selection, `${LARGE}-at-35-mb-s`), quarter, upstreamUrl));
    }
    const peaks: (number | undefined)[] = [];
    for (const { selection } of kinds) {
      await setTimeout(REST_MS);
      const idle = residentBytes(subgraph.pid);
      const peak = watchPeak(subgraph.pid);
      await sendOnce(requestOf(selection));
      const bytes = peak();
      peaks.push(bytes === undefined || idle === undefined ? undefined : (bytes - idle) / MEGABYTE);
    }
    const { bytes } = await paced(upstreamUrl);
    const note = `of ${(bytes / MEGABYTE).toFixed(0)} MB`;
    return { measured: [...shares, ...peaks], note: [...shares, ...peaks].map(() => note) };
  },
};

/** The percentage of a REST body that the service has sent when the client has so many bytes of the response. */
async function shareAt(request: LoadRequest, bytes: number, upstreamUrl: string): Promise<number> {
  let seen: Promise<{ bytes: number }> | undefined;
  await readAt(request, Number.POSITIVE_INFINITY, (received) => {
    if (received >= bytes) seen ??= paced(upstreamUrl);
  });
  const whole = await paced(upstreamUrl);
  return (100 * ((await seen)?.bytes ?? whole.bytes)) / whole.bytes;
}
