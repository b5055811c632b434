import { BodyMemory } from '../rest/admission/body-memory.ts';
import type { OperationMemory } from '../rest/admission/operation-memory.ts';
import {
  type AggregateFile,
  AggregateOfAll,
  Bands,
  bandsTable,
  type ComputedContents,
  MAX_METRICS,
  MAX_PERIOD_ENTRIES,
  Periods,
  periodsTable,
  SeriesAggregates,
  type SeriesSink,
  Statistics,
  statisticsTable,
} from '../results/results.ts';

/** The errors of more metrics, periods or values than something that is computed may have. */
export interface AggregateLimits {
  readonly tooManyMetrics: () => Error;
  readonly tooManyPeriods: () => Error;
  readonly tooManyBands: () => Error;
}

/** Where a file of something that is computed gets its memory from, and its errors. */
export interface AggregateSources {
  readonly memory: OperationMemory;
  readonly limits: AggregateLimits;
}

/** Creates the sink of a file that has what is computed from the rows. */
export function aggregateSink(
  contents: ComputedContents,
  metrics: readonly string[] | undefined,
  createWriter: AggregateFile<unknown>['createWriter'],
  { memory, limits: { tooManyMetrics, tooManyPeriods, tooManyBands } }: AggregateSources,
): SeriesSink {
  const kept = new BodyMemory(memory, 0);
  const common = {
    metrics,
    maxMetrics: MAX_METRICS,
    createWriter,
    reserve: (bytes: number) => kept.growBy(bytes),
    release: () => kept.release(),
  };
  switch (contents.of) {
    case 'periods': {
      const start = () => new Periods(contents.every, tooManyPeriods);
      return new SeriesAggregates({ ...common, start, table: periodsTable, maxMetrics: MAX_PERIOD_ENTRIES });
    }
    case 'statistics':
      return new SeriesAggregates({ ...common, start: () => new Statistics(tooManyMetrics), table: statisticsTable });
    case 'bands': {
      const { quantiles } = contents;
      const start = () => new Bands(quantiles, tooManyBands);
      return new AggregateOfAll({ ...common, start, table: bandsTable(quantiles) });
    }
  }
}
