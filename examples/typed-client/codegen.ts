import type { CodegenConfig } from '@graphql-codegen/cli';
import { url } from './src/endpoint.ts';

/** The operations of this example. */
const documents = ['AssetEdges', 'AssetList', 'AssetMap', 'AssetPage', 'SeveralDatasets'];

const config: CodegenConfig = {
  // Reads the schema from the endpoint of the subgraph or of your router.
  schema: url,
  documents: documents.map((name) => `../../operations/${name}.graphql`),
  generates: {
    'src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        // Node.js runs the TypeScript directly. So generate only types, and file names in imports.
        enumsAsTypes: true,
        useTypeImports: true,
        defaultScalarType: 'unknown',
        scalars: {
          // Int64 is a string in responses, because a JavaScript number cannot hold every value.
          Int64: { input: 'string | number', output: 'string' },
          TimeBound: { input: 'string | number', output: 'never' },
          DateTime: 'string',
          URL: 'string',
        },
      },
    },
  },
  importExtension: '.ts',
};

export default config;
