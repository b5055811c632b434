/** Read by GraphQL Code Generator, whose packages are those of test/codegen. */
export default {
  schema: 'schema.graphql',
  generates: {
    'src/generated/resolvers.ts': {
      plugins: [
        './test/codegen/node_modules/@graphql-codegen/typescript',
        './test/codegen/node_modules/@graphql-codegen/typescript-resolvers',
      ],
      config: {
        federation: true,
        strictScalars: true,
        scalars: {
          Int64: 'bigint',
          EpochMillis: 'bigint',
          DateTime: 'string',
          URL: 'string',
          _FieldSet: 'string',
        },
        enumsAsTypes: true,
        useTypeImports: true,
        contextType: '../graphql/context.ts#OperationContext',
        // A resolver may return an error instead of a value. graphql-js reports it at that field.
        maybeValue: 'T | null | undefined | Error',
        inputMaybeValue: 'T | null | undefined',
        mappers: {
          Asset: '../graphql/models.ts#AssetModel',
          AssetParent: '../graphql/models.ts#AssetParentModel',
          AssetSeries: '../graphql/models.ts#AssetSeriesModel',
          AssetSeriesConnection: '../graphql/models.ts#AssetSeriesConnectionModel',
          Dataset: '../graphql/models.ts#DatasetModel',
          DatasetDownload: '../graphql/models.ts#DatasetDownloadModel',
          DatasetProcessing: '../graphql/models.ts#NamedModel',
          DatasetResults: '../graphql/models.ts#DatasetResultsModel',
          DatasetSource: '../graphql/models.ts#NamedModel',
          GeoPoint: '../graphql/models.ts#GeoPointModel',
          Metric: '../graphql/models.ts#MetricModel',
          MetricColumn: '../graphql/models.ts#MetricColumnModel',
          Result: '../graphql/models.ts#ResultModel',
          SeriesColumns: '../graphql/models.ts#SeriesColumnsModel',
        },
      },
    },
  },
};
