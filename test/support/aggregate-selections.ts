import { type Choice, selection } from './random-selection.ts';

/** Random selections on what is computed from rows. See results-selections.ts. */

const quantiles: Choice = {
  weight: 2,
  name: 'quantiles',
  args: ['(of: [0.1, 0.5, 0.9])', '(of: [1])', '(of: [])', '(of: $quantiles)', '(of: 0.25)'],
  bad: ['(of: [1.1])', '(of: [-1])'],
};

const point = selection(
  'MetricPoint',
  ['value', 'valueDate', 'assetId'].map((name) => ({ weight: 1, name })),
);

export const statistics = selection('MetricStatistics', [
  ...['name', 'count', 'nullCount', 'sum', 'mean', 'standardDeviation'].map((name) => ({ weight: 1, name })),
  ...['first', 'last', 'minimum', 'maximum'].map((name) => ({ weight: 1, name, items: point })),
  quantiles,
]);

export const aggregatesByDate = selection('AggregatesByDate', [
  { weight: 1, name: 'dates' },
  {
    weight: 3,
    name: 'metrics',
    items: selection('MetricAggregates', [
      ...['name', 'counts', 'sums', 'means', 'minimums', 'maximums', 'standardDeviations'].map((name) => ({
        weight: 1,
        name,
      })),
      quantiles,
    ]),
  },
]);
