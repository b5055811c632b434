import { dataset, ofEntities, type TestBed } from '../support/harness.ts';

export const OTHER_ID = 'other';
export const datasets = [dataset, { ...dataset, metadata: { ...dataset.metadata, id: OTHER_ID } }];

export const ofMetadata = (rest: object) => ({ operation: 'getDatasetMetadata', ...rest });
export const ofResults = (rest: object) => ({ operation: 'getDatasetResults', ...rest });

export function entities({ query }: TestBed, references: readonly unknown[], fields: string, token?: null) {
  return query(ofEntities(fields), { variables: { references }, ...(token === null && { token }) });
}
