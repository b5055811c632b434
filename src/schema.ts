import './node-version.cjs';
import { readConfig } from './config.ts';
import { createSchema } from './graphql/schema/executable-schema.ts';
import { serviceSdl } from './graphql/schema/service-sdl.ts';
import { printText } from './output.ts';
import { run } from './run.ts';

// `npm run schema`: prints the schema as `_service` returns it.
await run(async () => {
  const { SCHEMA_NAMES } = readConfig(process.env);
  printText(`${serviceSdl(createSchema(SCHEMA_NAMES))}\n`);
});
