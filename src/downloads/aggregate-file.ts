import type { BodyMemory } from '../rest/admission/body-memory.ts';
import {
  type AggregateFile,
  AggregateOfAll,
  allParts,
  ByDate,
  byDateTable,
  Dates,
  MAX_ENTRIES,
  MAX_METRICS,
  Periods,
  SeriesAggregates,
  type SeriesSink,
  Statistics,
  statisticsTable,
  withoutQuantiles,
} from '../results/results.ts';
import type { ComputedContents } from './results-file.ts';

/** The errors of more metrics, periods or values than something that is computed may have. */
export interface AggregateLimits {
  readonly tooManyMetrics: () => Error;
  readonly tooManyPeriods: () => Error;
  readonly tooManyDates: () => Error;
  readonly tooManyValues: () => Error;
}

/** Where a file of something that is computed gets its memory from, and its errors. */
export interface AggregateSources {
  /** The memory of what is kept of rows. It has to be released at the end. */
  readonly kept: BodyMemory;
  readonly limits: AggregateLimits;
}

/** Creates the sink of a file that has what is computed from the rows. */
export function aggregateSink(
  contents: ComputedContents,
  metrics: readonly string[] | undefined,
  createWriter: AggregateFile<unknown>['createWriter'],
  { kept, limits: { tooManyMetrics, tooManyPeriods, tooManyDates, tooManyValues } }: AggregateSources,
): SeriesSink {
  const common = {
    metrics,
    maxMetrics: MAX_METRICS,
    createWriter,
    reserve: (bytes: number) => kept.growBy(bytes),
    release: () => kept.release(),
  };
  const { quantiles } = contents;
  const selected = quantiles.length === 0 ? withoutQuantiles : allParts;
  switch (contents.of) {
    case 'periods': {
      const start = () => new ByDate(new Periods(contents.every), tooManyPeriods, tooManyValues, selected);
      return new SeriesAggregates({ ...common, start, table: byDateTable(quantiles), maxMetrics: MAX_ENTRIES });
    }
    case 'statistics': {
      const start = () => new Statistics(tooManyMetrics, tooManyValues, selected);
      return new SeriesAggregates({ ...common, start, table: statisticsTable(quantiles) });
    }
    case 'byDate': {
      const start = () => new ByDate(new Dates(), tooManyDates, tooManyValues, selected);
      return new AggregateOfAll({ ...common, start, table: byDateTable(quantiles) });
    }
  }
}
