/**
 * Cases in which the fast way once gave another answer than the plain way, or very nearly might: each is kept, so that
 * it never does again.
 */
export interface FastWayCase {
  readonly title: string;
  /** Asked with the variable `id`, the dataset's. */
  readonly document: string;
  readonly variables?: Record<string, unknown>;
  /** What the service answers, whatever the filter. */
  readonly body: string | Buffer;
}

export const fastWayCases: readonly FastWayCase[] = [
  {
    title: 'a variable that is null where the argument may not be',
    document:
      'query ($id: ID!, $o: Int) { dataset(id: $id) { results { series { nodes { results(offset: $o) { valueDate } } } } } }',
    variables: { o: null },
    body: '{"assets":[{"asset_id":"a","results":[{"value_date":"d"}]}]}',
  },
  {
    title: 'texts that take three bytes for each of their characters',
    document: 'query ($id: ID!) { dataset(id: $id) { results { series { nodes { asset { name } } } } } }',
    body: `{"assets":[${[3, 15_000, 21_000, 340_000, 500_000]
      .map((length) => `{"asset_id":"a","asset_name":"${'€'.repeat(length)}"}`)
      .join()}]}`,
  },
];
