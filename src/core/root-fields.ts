/** The names of the root fields, which SCHEMA_NAMES may change. */
export interface RootFields {
  readonly dataset: string;
  readonly datasetsByIds: string;
}

/** The names of the root fields under SCHEMA_NAMES, whose keys are schema coordinates. */
export function rootFieldsOf(names: ReadonlyMap<string, string> | undefined): RootFields {
  return {
    dataset: names?.get('Query.dataset') ?? 'dataset',
    datasetsByIds: names?.get('Query.datasetsByIds') ?? 'datasetsByIds',
  };
}

/**
 * An operation of this package with these names of the root fields. In these operations, no other field with one of the
 * names in `schema.graphql` has arguments.
 */
export function withRootFields(query: string, fields: RootFields): string {
  return query.replaceAll(/\b(dataset(?:sByIds)?)(?=\()/g, (name) => fields[name as keyof RootFields]);
}
