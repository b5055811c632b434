import { selection } from './random-selection.ts';

/** Random selections on what is computed from rows. See fast-path-selections.ts. */

export const statistics = selection(
  'MetricStatistics',
  [
    ...['name', 'count', 'nullCount', 'min', 'max', 'mean', 'standardDeviation', 'first', 'last'],
    ...['minDate', 'maxDate', 'firstDate', 'lastDate'],
  ].map((name) => ({ weight: 1, name })),
);

export const periods = selection('SeriesPeriods', [
  { weight: 1, name: 'starts' },
  {
    weight: 3,
    name: 'metrics',
    items: selection(
      'PeriodColumns',
      ['name', 'counts', 'means', 'mins', 'maxs', 'sums'].map((name) => ({ weight: 1, name })),
    ),
  },
]);

export const bands = selection('ResultBands', [
  { weight: 1, name: 'valueDates' },
  {
    weight: 3,
    name: 'metrics',
    items: selection('BandColumns', [
      ...['name', 'counts', 'means', 'mins', 'maxs'].map((name) => ({ weight: 1, name })),
      {
        weight: 2,
        name: 'quantiles',
        items: selection('BandQuantile', [
          { weight: 1, name: 'quantile' },
          { weight: 2, name: 'values' },
        ]),
      },
    ]),
  },
]);
