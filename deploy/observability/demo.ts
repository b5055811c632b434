// `npm run demo:observe`: starts the demo under a light load, and a Prometheus with the alerts that watches it. Ctrl-C stops all.
import { run } from '../../src/run.ts';
import { observeDemo } from './observed-demo.ts';

const stopping = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopping.abort());

await run(() =>
  observeDemo(stopping.signal, ({ endpoint, metrics, prometheus, alerts, graphs }) =>
    process.stdout.write(`
GraphQL endpoint: ${endpoint}
Metrics: ${metrics}
Prometheus: ${prometheus}
Alerts: ${alerts}
Graphs: ${graphs}

Ctrl-C stops all of them.
`),
  ),
);
