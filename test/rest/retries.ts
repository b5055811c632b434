import { errorAt } from '../support/expected-errors.ts';
import { type Answer, ofDataset } from '../support/harness.ts';

export const NAME = ofDataset('name');
export const RESULTS = ofDataset('results { processingId }');
export const named = { data: { dataset: { name: 'Soil moisture' } } };
export const unavailable = (status: number | null) => ({
  data: { dataset: { name: null } },
  errors: [
    errorAt(['dataset', 'name'], 'UPSTREAM_UNAVAILABLE', { operation: 'getDatasetMetadata', status, retryable: true }),
  ],
});

/** The code of an answer's first error. */
export const codeOf = ({ body }: Answer): string | undefined => body.errors?.[0].extensions.code;
