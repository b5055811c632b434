import './node-version.cjs';
import { readConfig } from './config.ts';
import { run, stopOnSignal, UsageError } from './run.ts';
import { startSubgraph } from './server/app.ts';

await run(async () => {
  const config = readConfig(process.env);
  const serviceUrl = config.DATASET_SERVICE_URL;
  if (serviceUrl === undefined) {
    throw new UsageError('DATASET_SERVICE_URL must be set to the address of the dataset service; the demo needs none.');
  }
  const subgraph = await startSubgraph({ config, serviceUrl, corsOrigins: config.CORS_ORIGINS ?? [] });
  stopOnSignal(subgraph);
  process.stdout.write(`GraphQL endpoint: ${subgraph.url}\n`);
});
