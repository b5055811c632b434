import { mixture } from '../deploy/scaling-tables.ts';
import type { ContestantName } from './contestants.ts';
import { Mixture } from './mixture.ts';
import { large, metadata, middle, small, type Workload } from './workloads.ts';

/** Without a cache, and with it. */
const withAndWithout: readonly ContestantName[] = ['subgraph', 'memory'];

function repeated(workload: Workload, contestants = withAndWithout): Workload {
  const { variants: _, ...one } = workload;
  return { ...one, title: `cache: ${workload.title}, all repeats`, contestants };
}

/** One client repeats the same query, so a cache has all that it needs. */
export const repeatedMetadata = repeated(metadata);
export const repeatedSmall = repeated(small);
export const repeatedLarge = repeated(large, ['subgraph', 'memory', 'pipe']);

/** The mixture of docs/scaling.md. */
export const repeatedMixture = new Mixture(
  { title: 'cache: mixture, 80 % repeats', connections: 32, contestants: withAndWithout },
  mixture.map(({ title, share }) => {
    const workload = [metadata, small, middle].find((one) => one.title === title);
    if (workload === undefined) throw new Error(`There is no work "${title}".`);
    return { workload, share };
  }),
);
