import { GraphQLError } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createSchema } from '../../src/graphql/schema/executable-schema.ts';
import { startSubgraph } from '../../src/server/app.ts';
import { errorAt } from '../support/expected-errors.ts';
import { queryAt, type Setup, startService } from '../support/harness.ts';
import { canaries, canariesIn } from './secrets/canaries.ts';

const { datasetId: DATASET_ID, token: TOKEN } = canaries;

describe('4 A fault of this program', () => {
  it.each([
    ['an error', () => new TypeError(`no ${TOKEN}\n    at ${TOKEN}`)],
    ['no error', () => TOKEN],
    ['an error of GraphQL', () => new GraphQLError(TOKEN, { extensions: { note: TOKEN } })],
    ['an error with a cause', () => new Error(TOKEN, { cause: new Error(TOKEN) })],
  ])('that throws %s is masked, and logged by its name and place', async (_case, make) => {
    const { url } = await startService(setup);
    const log: string[] = [];
    const schema = createSchema();
    const { dataset } = schema.getQueryType()?.getFields() ?? {};
    if (dataset !== undefined) {
      dataset.resolve = () => {
        throw make();
      };
    }
    const subgraph = await startSubgraph({
      config: readConfig({ PORT: '0', LOG_LEVEL: 'trace', FEDERATED_TRACING: 'on' }),
      serviceUrl: new URL(url),
      corsOrigins: [],
      makeSchema: () => schema,
      logStream: { write: (line) => void log.push(line) },
    });
    onTestFinished(() => subgraph.stop());
    const headers = { 'apollo-federation-include-trace': 'ftv1' };
    const { text, body } = await queryAt(new URL(subgraph.url), `{ dataset(id: "${DATASET_ID}") { id } }`, { headers });
    const { data, errors, extensions } = body;
    expect({ data, errors }).toEqual({
      data: { dataset: null },
      errors: [errorAt(['dataset'], 'INTERNAL_SERVER_ERROR')],
    });
    expect(errors[0].message).toBe('The subgraph failed.');
    expect(canariesIn(text + Buffer.from(extensions.ftv1, 'base64').toString('latin1'))).toEqual([]);
    expect(canariesIn(log.join())).toEqual([]);
    expect(log.filter((line) => JSON.parse(line).level === 50)).toHaveLength(1);
  });
});

const setup: Setup = {
  env: { LOG_LEVEL: 'trace' },
  accounts: [{ email: 'anna@example.com', password: 'secret', token: TOKEN }],
  datasets: [{ metadata: { id: DATASET_ID, name: 'Soil moisture' } }],
};
