const plugins = './test/codegen/node_modules/@graphql-codegen';

/** What types are alike in both files. */
const types = {
  strictScalars: true,
  scalars: {
    Int64: 'bigint',
    TimeBound: '../graphql/schema/scalars.ts#TimeBoundValue',
    DateTime: 'string',
    URL: 'string',
    _FieldSet: 'string',
  },
  enumsAsTypes: true,
  useTypeImports: true,
  // A resolver may return an error instead of a value. graphql-js reports it at that field.
  maybeValue: 'T | null | undefined | Error',
  inputMaybeValue: 'T | null | undefined',
};

/** Read by GraphQL Code Generator, whose packages are those of test/codegen. */
export default {
  schema: 'schema.graphql',
  generates: {
    // The schema alone, for what reads selections and arguments.
    'src/generated/schema.ts': {
      plugins: [`${plugins}/typescript`],
      config: types,
    },
    'src/generated/resolvers.ts': {
      plugins: [
        {
          [`${plugins}/add`]: {
            // The types with a key are named without their namespace.
            content: "import type * as Schema from './schema.ts';\nimport type { Asset, Dataset } from './schema.ts';",
          },
        },
        `${plugins}/typescript-resolvers`,
      ],
      config: {
        ...types,
        federation: true,
        namespacedImportName: 'Schema',
        contextType: '../graphql/context.ts#OperationContext',
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
        },
      },
    },
  },
};
