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
  const accepts = [
    [undefined, json],
    ['*/*', json],
    ['application/json', json],
    ['application/graphql-response+json', graphqlJson],
    ['application/graphql-response+json, application/json;q=0.9', graphqlJson],
    ['application/json, application/graphql-response+json;q=0.9', json],
  ] as const;
  // What routers send that name both; the quality of a type is that of the most specific range that has it.
  const equallyWelcome = [
    'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
    'application/graphql-response+json, */*',
    'application/graphql-response+json;q=0.5, Application/*; Q=0.5',
  ];

  const asked = async (accept: string | undefined, document: string, variables?: Record<string, unknown>) => {
    const { query, calls } = await start();
    const answer = await query(document, { ...(variables && { variables }), headers: { ...(accept && { accept }) } });
    return { ...answer, type: answer.headers['content-type'], calls: calls() };
  };

  it.each(accepts)('is 200 for what was executed, with errors or without: accept %s', async (accept, type) => {
    const document = `{ dataset(id: "${DATASET_ID}") { name } unknown: dataset(id: "unknown") { name } }`;
    expect(await asked(accept, document)).toMatchObject({
      status: 200,
      type,
      body: { data: { dataset: { name: 'Soil moisture' }, unknown: null }, errors: [{ path: ['unknown'] }] },
    });
  });

  describe.each([...accepts, ...equallyWelcome.map((accept) => [accept, json] as const)])(
    'of a variable that cannot be coerced: accept %s',
    (accept, type) => {
      const range =
        'query ($range: TimeRangeInput) { dataset(id: "d") { asset(assetId: "a") { series(filter: { timeRange: $range }) { version } } } }';

      it.each([
        ['is missing', documentFor('getDatasetMetadata'), {}],
        ['is null', documentFor('getDatasetMetadata'), { id: null }],
        ['has another type', documentFor('getDatasetMetadata'), { id: { text: 'd' } }],
        ['has a scalar of another form', range, { range: { start: 'yesterday' } }],
        ['has an unknown field', range, { range: { begin: 1 } }],
      ])(`${type === json ? '200' : '400'} with BAD_USER_INPUT for one that %s`, async (_case, document, variables) => {
        const answer = await asked(accept, document, variables);
        expect(answer.body).toEqual({
          errors: [
            {
              message: expect.any(String),
              locations: [{ line: 1, column: 8 }],
              extensions: { code: 'BAD_USER_INPUT' },
            },
          ],
        });
        expect(answer).toMatchObject({ status: type === json ? 200 : 400, type, calls: [] });
      });
    },
  );

  describe.each(accepts)('is 400: accept %s', (accept, type) => {
    it.each([
      ['that does not parse', '{ dataset(', 'GRAPHQL_PARSE_FAILED'],
      ['that does not validate', '{ nothing }', 'GRAPHQL_VALIDATION_FAILED'],
      ['with a literal that cannot be coerced', '{ dataset(id: 1.5) { id } }', 'GRAPHQL_VALIDATION_FAILED'],
      ['with two anonymous operations', '{ __typename } { __typename }', 'GRAPHQL_VALIDATION_FAILED'],
    ])('for a document %s', async (_case, document, code) => {
      const { status, type: answered, body } = await asked(accept, document);
      expect(body).toEqual({ errors: body.errors.map(() => expect.objectContaining({ extensions: { code } })) });
      expect([status, answered]).toEqual([400, type]);
    });
  });
});

describe('4 Errors: no stack traces, whatever NODE_ENV says', () => {
  it.each(['production', 'development', 'test', undefined])('NODE_ENV=%s', async (nodeEnv) => {
    vi.stubEnv('NODE_ENV', nodeEnv);
    onTestFinished(() => void vi.unstubAllEnvs());
    const bed = await start();
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
  });

  it.each(['production', 'development'])(
    'leaves introspection and Sandbox to INTROSPECTION: NODE_ENV=%s',
    async (nodeEnv) => {
      vi.stubEnv('NODE_ENV', nodeEnv);
      onTestFinished(() => void vi.unstubAllEnvs());
      const seen = async (INTROSPECTION: string) => {
        const { query, http } = await start({ env: { INTROSPECTION, EXPLORER: 'sandbox' } });
        const introspection = await query('{ __schema { queryType { name } } }');
        const page = await http('/graphql', { headers: { accept: 'text/html' } });
        return { schema: introspection.body.data?.__schema, sandbox: page.text.includes('embeddable-sandbox') };
      };
      expect(await seen('on')).toEqual({ schema: { queryType: { name: 'Query' } }, sandbox: true });
      expect(await seen('off')).toEqual({ schema: undefined, sandbox: false });
    },
  );
});
