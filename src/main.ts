import './node-version.cjs';
import { readConfig } from './config.ts';
import { run, stopOnSignal, UsageError } from './run.ts';
import { startSubgraph } from './server/app.ts';

// `npm start`: starts the subgraph with the settings of the environment.
await run(async () => {
  const config = readConfig(process.env);
  const serviceUrl = config.DATASET_SERVICE_URL;
  if (serviceUrl === undefined) {
    throw new UsageError(
      'DATASET_SERVICE_URL must be set to the URL of the dataset service. The demo does not need it.',
    );
  }
  const subgraph = await startSubgraph({ config, serviceUrl, corsOrigins: config.CORS_ORIGINS ?? [] });
  stopOnSignal(subgraph);
  process.stdout.write(`GraphQL endpoint: ${subgraph.url}\n`);
  const { start, sandbox } = subgraph.explorers;
  if (start !== undefined) process.stdout.write(`GraphiQL: ${start} (in a browser: charts and maps; works offline)\n`);
  if (sandbox !== undefined) process.stdout.write(`Apollo Sandbox: ${sandbox} (in a browser: loaded from Apollo)\n`);
  if (subgraph.metricsUrl !== undefined) process.stdout.write(`Metrics: ${subgraph.metricsUrl}\n`);
});
