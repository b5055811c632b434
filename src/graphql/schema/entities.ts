import { GraphQLError, type GraphQLResolveInfo, type GraphQLSchema } from 'graphql';
import type { OperationContext } from '../context.ts';
import { isAssetId } from '../input.ts';
import { ignoreErrors } from '../plan/selected-fields.ts';

/** A representation of an entity, with a known type (scalars.ts), and any fields of its key. */
interface Representation {
  readonly __typename: string;
  readonly id?: unknown;
  readonly datasetId?: unknown;
  readonly assetId?: unknown;
}

/**
 * Limits and observes `_entities` (federation specification, "Resolve requests for entities"): the library accepts any number of
 * representations. Those that are repeated count once. Beyond the limit, each entity is null, with one error: the list itself
 * must not be null, and some gateways end their process without it.
 */
export function guardEntities(schema: GraphQLSchema): void {
  const entities = schema.getQueryType()?.getFields()._entities;
  const resolve = entities?.resolve;
  if (entities === undefined || resolve === undefined) throw new Error('The schema has no entities.');
  entities.resolve = (root, args: { representations: readonly Representation[] }, context, info) => {
    const { representations } = args;
    const { budget, partialErrors, onEntities } = context as OperationContext;
    try {
      budget.spendRepresentations(countDistinct(representations), representations.length, info);
    } catch (error) {
      if (!(error instanceof GraphQLError)) throw error;
      partialErrors.report(error, info);
      return representations.map(() => null);
    }
    announceReaders(representations, context, info);
    onEntities?.(representations.map(datasetOf));
    return resolve(root, args, context, info);
  };
}

/**
 * Counts the fields that will read the results of datasets of assets, before any of them does. The assets come one after another, and
 * the first one starts the call.
 */
function announceReaders(
  representations: readonly Representation[],
  { plan, loaders }: OperationContext,
  info: GraphQLResolveInfo,
): void {
  const assets = representations.filter(({ assetId }) => typeof assetId === 'string' && isAssetId(assetId));
  if (assets.length === 0) return;
  const [asset] = ignoreErrors(() => plan.asset(info));
  if (asset === undefined || asset.plan.results === 0) return;
  for (const { datasetId } of assets)
    if (typeof datasetId === 'string') loaders.announceReaders(datasetId, asset.plan.results);
}

/** The dataset of a representation of a Dataset or an Asset. Undefined without one, of which its resolver makes an error. */
function datasetOf({ id, datasetId = id }: Representation): string | undefined {
  return typeof datasetId === 'string' ? datasetId : undefined;
}

function countDistinct(representations: readonly Representation[]): number {
  const keys = representations.map(({ __typename, id, datasetId, assetId }) => {
    // What is no id may be a large object. Its resolver makes an error of it.
    const texts = [id, datasetId, assetId].map((part) => (typeof part === 'string' ? part : null));
    return JSON.stringify([__typename, ...texts]);
  });
  return new Set(keys).size;
}
