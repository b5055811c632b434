import { expect } from 'vitest';
import { type Answer, DATASET_ID, type TestBed } from './harness.ts';

export const operations = ['getDatasetMetadata', 'getDatasetResults'] as const;
type Operation = (typeof operations)[number];

const selections: Record<Operation, string> = {
  getDatasetMetadata: 'name',
  getDatasetResults: 'results { processingId }',
};

export const documentFor = (operation: Operation) =>
  `query ($id: ID!) {\n  dataset(id: $id) {\n    ${selections[operation]}\n  }\n}`;

const sentence = expect.stringMatching(/^["A-Z](?!.*[.!?] ).*\.$/);

const requestId = { 'x-request-id': 'request-1' };

export function ask({ query }: TestBed, operation: Operation): Promise<Answer> {
  return query(documentFor(operation), { variables: { id: DATASET_ID }, headers: requestId });
}

/** What `ask` is answered when the operation fails; what `rest` leaves out is unknown. */
export function failure(operation: Operation, code: string, rest: Record<string, unknown>) {
  const absent = operation === 'getDatasetMetadata' && ['UNAUTHENTICATED', 'NOT_FOUND'].includes(code);
  const field = operation === 'getDatasetMetadata' ? 'name' : 'results';
  const unknown = { status: null, label: null, labelSource: null, requestId: 'request-1', retryable: false };
  return {
    data: { dataset: absent ? null : { [field]: null } },
    errors: [
      {
        message: sentence,
        locations: [absent ? { line: 2, column: 3 } : { line: 3, column: 5 }],
        path: absent ? ['dataset'] : ['dataset', field],
        extensions: { code, rest: { operation, ...unknown, ...rest } },
      },
    ],
  };
}
