import type { GraphQLResolveInfo } from 'graphql';
import { fieldTypes, type Selection } from '../../../engine/index.ts';
import type { AssetSeriesResolvers } from '../../generated/resolvers.ts';
import type { OperationContext } from '../context.ts';
import type { AssetSeriesModel } from '../models.ts';

/** A field that needs the rows: they are written in place of its placeholder. */
export function rowsField(
  series: AssetSeriesModel,
  _args: object,
  { response, plan }: OperationContext,
  info: GraphQLResolveInfo,
): never | Error {
  const { value, error } = plan.rows(info);
  return error ?? response.addPlaceholder(info, series.writeField(value as Selection));
}

const rowsFields = Object.fromEntries(Object.keys(fieldTypes.series).map((name) => [name, rowsField])) as Pick<
  AssetSeriesResolvers,
  keyof typeof fieldTypes.series
>;

/** The results of one asset. */
export const AssetSeries: AssetSeriesResolvers = {
  asset: ({ datasetId, assetId, attributes }, _args, { budget, plan }, info) => {
    try {
      budget.spendAttributes(datasetId, attributes, plan.fieldsOn(info));
    } catch (error) {
      // graphql-js, for a trace, leaves a list at an item that throws at once, and the rejections of items before it would end the process.
      return Promise.reject(error);
    }
    return { datasetId, assetId, entry: attributes, isSeriesCounted: false };
  },
  version: ({ version }) => version,
  ...rowsFields,
};
