import './node-version.cjs';
import { readConfig } from './config.ts';
import { createSchema, serviceSdl } from './graphql/schema.ts';
import { run } from './run.ts';

await run(async () => {
  const { TYPE_PREFIX } = readConfig(process.env);
  process.stdout.write(`${await serviceSdl(createSchema(TYPE_PREFIX))}\n`);
});
