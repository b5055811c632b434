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
];
