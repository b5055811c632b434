import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql';

/** What called the resolvers of an operation: graphql-js, or what was compiled. */
export type Executor = 'graphql-js' | 'compiled';

/** A schema that tells what calls the resolvers of its root fields: graphql-js alone gives them plain objects. */
export function observedSchema(
  schema: GraphQLSchema,
  report: (executor: Executor, info: GraphQLResolveInfo) => void,
): GraphQLSchema {
  for (const field of Object.values(schema.getQueryType()?.getFields() ?? {})) {
    const { resolve } = field;
    field.resolve = (source, args, context, info) => {
      report(Object.getPrototypeOf(info) === Object.prototype ? 'graphql-js' : 'compiled', info);
      return resolve?.(source, args, context, info);
    };
  }
  return schema;
}
