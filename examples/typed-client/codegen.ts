import type { CodegenConfig } from '@graphql-codegen/cli';
import { url } from './src/endpoint.ts';

const config: CodegenConfig = {
  // The types come from the endpoint itself: the subgraph's, or your router's.
  schema: url,
  documents: 'src/*.ts',
  generates: {
    'src/generated/': {
      preset: 'client',
      presetConfig: { fragmentMasking: false },
      config: {
        // Node.js runs this TypeScript as it is; so only types may be generated, and imports must name files.
        enumsAsTypes: true,
        useTypeImports: true,
        defaultScalarType: 'unknown',
        scalars: {
          // Int64 is text in every answer: a JavaScript number could not hold all of them.
          Int64: { input: 'string | number', output: 'string' },
          EpochMillis: { input: 'string | number', output: 'number' },
          DateTime: 'string',
          URL: 'string',
        },
      },
    },
  },
  importExtension: '.ts',
};

export default config;
