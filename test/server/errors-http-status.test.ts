import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { ask, documentFor } from '../support/errors.ts';
import { DATASET_ID, start } from '../support/harness.ts';

/*
 * Section 4 of docs/contract.md in detail: the HTTP status.
 * The HTTP status of an executed operation is 200, but for one without data after its deadline (clause 29). An
 * operation whose variables cannot be coerced is 200 with `BAD_USER_INPUT` for `application/json`, because routers
 * replace a 400 with an error of their own, and 400 for `application/graphql-response+json`. If a client accepts both
 * equally, it gets the former. Documents that do not parse or validate are 400.
 */
describe('4 Errors: HTTP status', () => {
  const json = 'application/json; charset=utf-8';
  const graphqlJson = 'application/graphql-response+json; charset=utf-8';

  it.each<[accept: string | undefined, type: string, ofOthers?: string]>([
    [undefined, json],
    ['*/*', json],
    ['application/json', json],
    ['application/graphql-response+json', graphqlJson],
    ['application/graphql-response+json, application/json;q=0.9', graphqlJson],
    ['application/json, application/graphql-response+json;q=0.9', json],
    // What routers send that name both; the quality of a type is that of the most specific range that has it.
    ['application/graphql-response+json; charset=utf-8, application/json; charset=utf-8', json, graphqlJson],
    ['application/graphql-response+json, */*', json, graphqlJson],
    ['application/graphql-response+json;q=0.5, Application/*; Q=0.5', json, graphqlJson],
  ])('is that of what became of the operation: accept %s', async (accept, type, ofOthers = type) => {
    const { query, calls } = await start();
    const asked = async (document: string, variables: Record<string, unknown> = {}) => {
      const answer = await query(document, { variables, headers: { ...(accept && { accept }) } });
      return { status: answer.status, type: answer.headers['content-type'], body: answer.body };
    };
    const range =
      'query ($range: TimeRangeInput) { dataset(id: "d") { asset(assetId: "a") { series(filter: { timeRange: $range }) { version } } } }';
    for (const [document, variables] of [
      [documentFor('getDatasetMetadata'), {}],
      [documentFor('getDatasetMetadata'), { id: null }],
      [documentFor('getDatasetMetadata'), { id: { text: 'd' } }],
      [range, { range: { start: 'yesterday' } }],
      [range, { range: { begin: 1 } }],
    ] as const) {
      const error = { message: expect.any(String), locations: [{ line: 1, column: 8 }] };
      expect(await asked(document, variables)).toEqual({
        status: type === json ? 200 : 400,
        type,
        body: { errors: [{ ...error, extensions: { code: 'BAD_USER_INPUT' } }] },
      });
    }
    for (const [document, code] of [
      ['{ dataset(', 'GRAPHQL_PARSE_FAILED'],
      ['{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
      ['{ dataset(id: 1.5) { id } }', 'GRAPHQL_VALIDATION_FAILED'],
      ['{ __typename } { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
    ] as const) {
      const { body, ...answer } = await asked(document);
      expect([document, answer]).toEqual([document, { status: 400, type: ofOthers }]);
      expect(body).toEqual({ errors: body.errors.map(() => expect.objectContaining({ extensions: { code } })) });
    }
    expect(calls()).toEqual([]);
    // What was executed, with errors or without.
    const both = `{ dataset(id: "${DATASET_ID}") { name } unknown: dataset(id: "unknown") { name } }`;
    expect(await asked(both)).toMatchObject({
      status: 200,
      type: ofOthers,
      body: { data: { dataset: { name: 'Soil moisture' }, unknown: null }, errors: [{ path: ['unknown'] }] },
    });
  });
});

describe('4 Errors: no stack traces, whatever NODE_ENV says', () => {
  it.each(['production', 'development', undefined])('NODE_ENV=%s', async (nodeEnv) => {
    vi.stubEnv('NODE_ENV', nodeEnv);
    onTestFinished(() => void vi.unstubAllEnvs());
    const bed = await start({ env: { EXPLORER: 'sandbox' } });
    bed.simulator.intercept(() => ({ reset: true }));
    const answers = await Promise.all([
      ask(bed, 'getDatasetMetadata'),
      ask(bed, 'getDatasetResults'),
      bed.query('{ dataset(id: "..") { name } }'),
      bed.query(documentFor('getDatasetMetadata'), { variables: {} }),
      bed.query('{ dataset('),
      bed.query('{ nothing }'),
      bed.http('/graphql', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{' }),
      bed.http('/graphql?query={__typename}'),
      bed.http('/nowhere'),
    ]);
    const extensions = answers.flatMap(({ body }) =>
      body.errors.map((error: { extensions: object }) => error.extensions),
    );
    expect(extensions.map((each) => Object.keys(each))).toEqual([
      ['code', 'rest'],
      ['code', 'rest'],
      ...Array.from({ length: 7 }, () => ['code']),
    ]);
    expect(answers.map(({ text }) => text).join()).not.toMatch(/stacktrace|\bat .*:\d+|node_modules|\/src\//);
    // Introspection and Sandbox are left to INTROSPECTION.
    const introspection = await bed.query('{ __schema { queryType { name } } }');
    expect(introspection.body).toEqual({ data: { __schema: { queryType: { name: 'Query' } } } });
    expect((await bed.http('/graphql', { headers: { accept: 'text/html' } })).text).toContain('embeddable-sandbox');
  });
});
