import fc from 'fast-check';
import { DATASET_ID } from '../support/harness.ts';
import { ASSET_IDS } from '../support/results-selections.ts';
import { DATASET_IDS } from './known-documents-operations.ts';

/** Random values of the variables of known-documents-operations.ts. */

const assetId = fc.constantFrom(...ASSET_IDS);
const datasetId = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...DATASET_IDS) },
  { weight: 1, arbitrary: fc.constantFrom('', '.', 'x'.repeat(201), 5) },
);

/** A value that is mostly this, and sometimes absent, null or of another type. */
const mostly = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 40, arbitrary: usual },
    { weight: 1, arbitrary: fc.constantFrom(undefined, null, 'text', 1.5, [], {}, [null], true) },
  );

const reference = fc.oneof(
  { weight: 6, arbitrary: datasetId.map((id) => ({ __typename: 'Dataset', id })) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(datasetId, assetId)
      .map(([dataset, id]) => ({ __typename: 'Asset', datasetId: dataset, assetId: id })),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      { __typename: 'Dataset', id: DATASET_ID, toJSON: 'x', name: 'y' },
      { __typename: 'Dataset' },
      { __typename: 'Asset', datasetId: 'd2' },
      { __typename: 'Asset', datasetId: 'd2', assetId: '' },
    ),
  },
);

const time = fc.constantFrom(0, -1, '2024-01-02T00:00:00Z', null, undefined);

/** Values of all variables but `after0` and `after1`, the cursors of the first two entries of a response. */
export const variables: fc.Arbitrary<Record<string, unknown>> = fc.record({
  id: mostly(datasetId),
  other: mostly(datasetId),
  datasets: mostly(fc.array(datasetId, { maxLength: 4 })),
  references: mostly(fc.array(reference, { maxLength: 5 })),
  t: mostly(fc.constantFrom(...Array(9).fill(true), false, false, null)),
  f: mostly(fc.constantFrom(...Array(9).fill(false), true, true, null)),
  first: mostly(fc.constantFrom(undefined, null, 0, 1, 2, 3, -1)),
  offset: mostly(fc.constantFrom(undefined, 0, 1, 2, -1)),
  names: mostly(fc.array(fc.constantFrom('m', 'n', 'q"\\'), { maxLength: 3 })),
  metric: mostly(fc.constantFrom('m', 'n', '__proto__')),
  ids: mostly(fc.option(fc.array(assetId, { maxLength: 4 }))),
  asset: mostly(assetId),
  unit: mostly(fc.constantFrom('SECONDS', 'MILLISECONDS')),
  filter: mostly(
    fc.record({
      assetIds: fc.option(fc.array(assetId, { maxLength: 3 })),
      timeRange: fc.option(fc.record({ start: time, stop: time })),
    }),
  ),
  range: mostly(fc.option(fc.record({ start: time, stop: time }))),
  every: mostly(fc.constantFrom('DAY', 'MONTH', 'YEAR', undefined)),
  quantiles: mostly(fc.constantFrom([0.5], 0.25, [], [0, 1], [2], undefined)),
  x: fc.constantFrom(undefined, null, 5),
  unknown: fc.constantFrom(undefined, undefined, 1),
});
