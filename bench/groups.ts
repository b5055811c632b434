import type { Mixture } from './mixture.ts';
import { repeatedLarge, repeatedMetadata, repeatedMixture, repeatedSmall } from './repeats.ts';
import {
  documents,
  firstMetadata,
  growth,
  inFlight,
  large,
  largeByDate,
  largeColumns,
  largeFile,
  largeMonths,
  largeNames,
  largeOdd,
  largePassing,
  largePoints,
  largeStatistics,
  largeTotals,
  manyCalls,
  manyDatasets,
  measuredMetadata,
  metadata,
  middle,
  otherOrder,
  singleAssets,
  small,
  tracedMetadata,
  untracedMetadata,
  type Workload,
} from './workloads.ts';

/** Work measured in the same rounds, with contestants started for them. */
export interface Group {
  readonly workloads: readonly (Workload | Mixture)[];
  /** The rounds that warm up and do not count; by default one. Small responses need the longest warm-up. */
  readonly warmUpRounds?: number;
  /** The seconds for each contestant in each round of the warm-up. */
  readonly warmUpSeconds: number;
  readonly rounds: number;
  /**
   * How often the contestants are started anew; by default once. Two processes of one program differ by some percent, as V8
   * compiles their code at other moments.
   */
  readonly starts?: number;
  /** The seconds for each contestant in each round. Requests in flight then complete. */
  readonly seconds: number;
}

/**
 * Small responses get faster for about five seconds, while V8 compiles the code that makes them. Contestants take turns in the
 * warm-up too: after half a minute without requests the first second is slower again.
 */
const ofSmallResponses = { warmUpRounds: 5, warmUpSeconds: 1, rounds: 10, seconds: 1 };

/**
 * More code takes longer. While a contestant waits for its turn, V8 collects the shapes of objects of which none is left, and
 * discards the code compiled for them; after ten turns there is code that does not depend on them.
 */
const ofMoreCode = { ...ofSmallResponses, warmUpRounds: 10, rounds: 6 };

/** All work, in order of measurement. */
export const groups: readonly Group[] = [
  { workloads: [firstMetadata], warmUpRounds: 0, warmUpSeconds: 0, starts: 3, rounds: 3, seconds: 3 },
  { workloads: [metadata], ...ofSmallResponses, starts: 2, rounds: 4 },
  { workloads: [measuredMetadata], ...ofSmallResponses, starts: 5, warmUpRounds: 3, rounds: 3 },
  { workloads: [tracedMetadata, untracedMetadata], ...ofSmallResponses, starts: 3, rounds: 20, seconds: 0.4 },
  { workloads: documents.slice(0, 3), warmUpSeconds: 10, rounds: 3, seconds: 1.5 },
  // So many that they evict the others.
  ...documents.slice(3).map((many) => ({ workloads: [many], warmUpSeconds: 10, rounds: 3, seconds: 1.5 })),
  { workloads: [small], ...ofMoreCode },
  { workloads: [manyDatasets], ...ofMoreCode },
  { workloads: [manyCalls], warmUpSeconds: 3, rounds: 4, seconds: 3 },
  { workloads: [middle], warmUpSeconds: 1.5, rounds: 3, seconds: 3 },
  {
    workloads: [
      ...[large, largePassing, largeOdd, largeColumns, largeNames, largeFile],
      ...[largeStatistics, largeMonths, largeByDate, largeTotals, largePoints],
    ],
    warmUpSeconds: 1,
    rounds: 3,
    seconds: 2,
  },
  { workloads: [singleAssets], warmUpSeconds: 1.5, rounds: 3, seconds: 3 },
  { workloads: [inFlight], warmUpSeconds: 2, rounds: 3, seconds: 4 },
  { workloads: [...growth, otherOrder], warmUpSeconds: 1, rounds: 3, seconds: 2 },
  { workloads: [repeatedMetadata], ...ofSmallResponses, starts: 3, warmUpRounds: 3, rounds: 3 },
  { workloads: [repeatedSmall], ...ofSmallResponses, warmUpRounds: 3, rounds: 5 },
  { workloads: [repeatedMixture], ...ofSmallResponses, starts: 3, warmUpRounds: 3, rounds: 2, seconds: 2 },
  { workloads: [repeatedLarge], warmUpSeconds: 2, rounds: 4, seconds: 2 },
];
