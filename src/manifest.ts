import './node-version.cjs';
import { hash } from 'node:crypto';
import { readConfig } from './config.ts';
import { readOperations } from './graphql/documents/operation-files.ts';
import { createSchema } from './graphql/schema/executable-schema.ts';
import { printText } from './output.ts';
import { run } from './run.ts';

// `npm run manifest`: prints the operations of `operations/` as a manifest of persisted queries, in the format of Apollo:
// https://www.apollographql.com/docs/graphos/platform/security/persisted-queries#manifest-format
await run(async () => {
  const { SCHEMA_NAMES } = readConfig(process.env);
  const operations = readOperations(createSchema(SCHEMA_NAMES)).map(({ name, type, text }) => ({
    id: hash('sha256', text),
    name,
    type,
    body: text,
  }));
  const manifest = { format: 'apollo-persisted-query-manifest', version: 1, operations };
  printText(`${JSON.stringify(manifest, null, 2)}\n`);
});
