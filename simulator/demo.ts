import '../src/node-version.cjs';
import { createHash, randomBytes } from 'node:crypto';
import { type ExampleSubjects, examplesOf } from '../explorer/src/examples.ts';
import { type Config, readConfig } from '../src/config.ts';
import { bearerAuthorization } from '../src/core/bearer-token.ts';
import { rootFieldsOf, withRootFields } from '../src/core/root-fields.ts';
import { RestClient } from '../src/rest/client.ts';
import { login } from '../src/rest/login.ts';
import { run, stopOnSignal } from '../src/run.ts';
import { type Subgraph, startSubgraph } from '../src/server/app.ts';
import { summaryOf } from './dataset-summary.ts';
import { prettyLog } from './pretty-log.ts';
import { demoDatasetIds, loadDemoData } from './src/demo-data.ts';
import { type SimulatedAccount, type SimulatedDataset, type Simulator, startSimulator } from './src/simulator.ts';

/** The pages of Apollo that may send queries to the demo from a browser. */
const apolloOrigins = [
  'https://studio.apollographql.com',
  'https://sandbox.embed.apollographql.com',
  'https://explorer.embed.apollographql.com',
];

/** The subjects of the explorers' examples. */
const subjects: ExampleSubjects = {
  datasetId: demoDatasetIds.weather,
  assetId: 'seattle-tacoma',
  metrics: ['temp_max', 'temp_min'],
  timeRange: { start: '2015-01-01', stop: '2015-12-31' },
  datasetIds: [demoDatasetIds.co2, demoDatasetIds.electricity],
  fileId: demoDatasetIds.earthquakes,
};

await run(async () => {
  const config = readConfig(process.env, { LOG_OPERATIONS: 'on', OPERATION_PLAN: 'on' });
  const { accounts, datasets } = await loadDemoData();
  const [account] = accounts;
  if (account === undefined) throw new Error('The demo data has no account.');
  await serve(config, await startSimulator({ accounts, datasets }), account, datasets);
});

/** Starts the subgraph with the simulator, and prints its URLs. */
async function serve(
  config: Config,
  simulator: Simulator,
  account: SimulatedAccount,
  datasets: readonly SimulatedDataset[],
): Promise<void> {
  const serviceUrl = new URL(simulator.url);
  const token = await login(serviceUrl, account.email, account.password);
  await checkDownloads(simulator, datasets, token);
  const subgraph = await startSubgraph({
    config: {
      ...config,
      // A token of another login could not read the demo's datasets.
      AUTH_SERVICE_URL: undefined,
      DOWNLOAD_TICKET_SECRET: config.DOWNLOAD_TICKET_SECRET ?? [randomBytes(32).toString('base64url')],
    },
    serviceUrl,
    corsOrigins: config.CORS_ORIGINS ?? apolloOrigins,
    isLocal: true,
    logStream: prettyLog(process.stdout),
    explorerPreset: { examples: examplesOf(subjects), token, datasets: datasets.map(summaryOf) },
  });
  stopOnSignal(subgraph, () => simulator.close());
  process.stdout.write(banner(config, subgraph, token, datasets));
}

/** Checks that the simulator serves every file completely. */
async function checkDownloads(simulator: Simulator, datasets: readonly SimulatedDataset[], token: string) {
  const client = new RestClient({
    baseUrl: new URL(simulator.url),
    headersTimeoutMs: 5000,
    connections: 1,
    keepAliveMs: 4000,
    downloads: 1,
    maxBytes: 0,
    holdBytes: 4_194_304,
    memoryBytes: 0,
    queue: 0,
    retry: false,
    circuitOpenMs: 0,
    onCircuitChange: () => {},
  });
  const authorization = bearerAuthorization(`Bearer ${token}`);
  if (authorization === undefined) throw new Error('The demo account has no valid token.');
  for (const { metadata, file } of datasets) {
    if (file === undefined) continue;
    const { signal } = new AbortController();
    const { body } = await client.downloadStaticDataset(metadata.id, { authorization, observer: undefined }, signal);
    const received = createHash('sha256');
    for (const part of body.chunks()) {
      if (part instanceof Promise) await part;
      else received.update(part);
    }
    if (received.digest('hex') !== createHash('sha256').update(file.bytes).digest('hex')) {
      throw new Error(`The file of dataset ${metadata.id} is damaged.`);
    }
  }
  await client.close();
}

function banner(
  { SCHEMA_NAMES }: Config,
  { url, metricsUrl, explorers }: Subgraph,
  token: string,
  datasets: readonly SimulatedDataset[],
): string {
  const fields = rootFieldsOf(SCHEMA_NAMES);
  const selection = 'name assetCount results { series { nodes { asset { name } rowCount metricNames } } }';
  const tried = `{ dataset(id: "${demoDatasetIds.weather}") { ${selection} } }`;
  const body = JSON.stringify({ query: withRootFields(tried, fields) });
  const names = fields.dataset === 'dataset' ? '' : `SCHEMA_NAMES=Query.dataset:${fields.dataset} `;
  // A checkout has the TypeScript, and a package what is compiled from it.
  const ask = import.meta.url.endsWith('.ts') ? 'npm run --silent ask --' : 'npx dataset-subgraph ask';
  const { graphiql, sandbox, start } = explorers;
  const pages = [
    ...(start === undefined ? [] : [`Start page: ${start} (in a browser: the datasets, and what they hold)`]),
    ...(graphiql === undefined
      ? []
      : [`GraphiQL: ${graphiql} (in a browser: examples, charts and maps; works offline)`]),
    ...(sandbox === undefined ? [] : [`Apollo Sandbox: ${sandbox} (in a browser: loaded from Apollo)`]),
    ...(metricsUrl === undefined ? [] : [`Metrics: ${metricsUrl}`]),
  ];
  return `
${[`GraphQL endpoint: ${url}`, ...pages].join('\n')}
Token: ${token}

Datasets:
${datasets.map(({ metadata }) => `  ${metadata.id}  ${metadata.name}`).join('\n')}

Try:
  curl -s ${url} -H 'content-type: application/json' -H 'authorization: Bearer ${token}' -d '${body}'
  ${names}DATASET_TOKEN=${token} ${ask} ${demoDatasetIds.co2} --metric co2 --url ${url}

`;
}
