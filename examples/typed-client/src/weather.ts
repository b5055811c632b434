import type { SeveralDatasetsQueryVariables } from './generated/graphql.ts';

/** The weather of the demo. */
export const id = '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31';

/** Three days of the demo's weather, and a dataset that does not exist. The response has data and an error. */
export const variables: SeveralDatasetsQueryVariables = {
  ids: [id, 'nowhere'],
  metricNames: ['temp_max', 'wind'],
  range: { start: '2015-07-01T00:00:00Z', stop: '2015-07-03T00:00:00Z' },
};
