import type { VariablesOf } from '@graphql-typed-document-node/core';
import { graphql } from './generated/index.ts';

/** The document of all three clients. `npm run generate` reads it from this file. */
export const weather = graphql(`
  query Weather($ids: [ID!]!, $range: TimeRangeInput) {
    datasets(ids: $ids) {
      id
      name
      startDateTime
      results(filter: { timeRange: $range }) {
        series {
          nodes {
            asset { datasetId assetId name }
            version
            columns(metrics: ["temp_max", "wind"]) { valueDates metrics { name values } }
          }
        }
      }
    }
  }
`);

/** Three days of the demo's weather, and a dataset that does not exist. The response has data and an error. */
export const variables: VariablesOf<typeof weather> = {
  ids: ['6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31', 'nowhere'],
  range: { start: '2015-07-01T00:00:00Z', stop: '2015-07-03T00:00:00Z' },
};
