import { Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import { finished } from 'node:stream/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { datasetOf } from '../support/calls.ts';
import { ofDataset, start } from '../support/harness.ts';

/** Two callers, each of whom has an own view of the same dataset. */
const clients = ['anna', 'bert'] as const;
type ClientIdentity = (typeof clients)[number];

const tokenOf = (caller: ClientIdentity) => `token-of-${caller}`;
const markerOf = (caller: ClientIdentity) => `marker-of-${caller}`;
const otherOf = (caller: ClientIdentity): ClientIdentity => (caller === 'anna' ? 'bert' : 'anna');

/** What the service tells a caller of so many assets; both callers' answers have the same length. */
function resultsOf(caller: ClientIdentity, assets: number): Buffer {
  const marker = markerOf(caller);
  const rows = Array.from({ length: 40 }, (_, day) => ({
    value_date: `${marker}-${day}`,
    metrics: [{ name: marker, value: clients.indexOf(caller) + day / 8 }],
  }));
  return Buffer.from(
    JSON.stringify({
      processing_id: marker,
      source_id: marker,
      assets: Array.from({ length: assets }, (_, asset) => ({
        asset_id: `a${asset}`,
        asset_name: marker,
        asset_version: asset,
        results: rows,
      })),
    }),
  );
}

/** Above 1 MB, from where on the memory of REST answers is used again by other operations. */
const LARGE_ASSETS = 400;
const sizes = { small: 2, large: LARGE_ASSETS };

/** The documents that callers ask for, and the share of those that ask for much. */
const nodes = (selection: string) => ofDataset(`results { processingId series { nodes { ${selection} } } }`);
const documents = {
  metadata: ofDataset('name description'),
  names: nodes('asset { assetId name }'),
  rows: nodes('version asset { name } rows { valueDate metrics { name value } }'),
  columns: nodes('asset { name } columns { valueDates metrics { name values } }'),
};
type Wanted = keyof typeof documents;

const LARGE_EVERY = 11;
const BROKEN_EVERY = 97;
const LEAVING_EVERY = 7;
const CONNECTIONS = 8;

/** The kinds of datasets: which one an operation asks for follows from its number and not from the order of calls. */
const datasets = {
  small: '11111111-1111-4111-8111-111111111111',
  large: '22222222-2222-4222-8222-222222222222',
  // Its results break in the middle, after their memory has been taken.
  broken: '33333333-3333-4333-8333-333333333333',
};

function datasetAskedBy(index: number): string {
  if (index % BROKEN_EVERY === 0) return datasets.broken;
  return index % LARGE_EVERY === 0 ? datasets.large : datasets.small;
}

describe('3.7 Two clients', () => {
  it('get, interleaved thousands of times over kept connections, their own responses and nothing of each other', async () => {
    const operations = 2000;
    const accounts = clients.map((caller) => ({ email: caller, password: caller, token: tokenOf(caller) }));
    const bodies = {
      small: { anna: resultsOf('anna', sizes.small), bert: resultsOf('bert', sizes.small) },
      large: { anna: resultsOf('anna', sizes.large), bert: resultsOf('bert', sizes.large) },
    };
    expect(bodies.large.anna.length).toBeGreaterThan(2 ** 20);
    const { simulator, subgraph } = await start({
      accounts,
      datasets: Object.values(datasets).map(datasetOf),
      env: { LOG_LEVEL: 'warn' },
    });
    simulator.intercept(({ operation, headers, datasetId }) => {
      simulator.clear();
      const [authorization] = headers.authorization ?? [];
      const caller = clients.find((candidate) => authorization === `Bearer ${tokenOf(candidate)}`);
      if (caller === undefined) return { status: 401 };
      const marker = markerOf(caller);
      if (operation === 'getDatasetMetadata') return { body: JSON.stringify({ name: marker, description: marker }) };
      const body = bodies[datasetId === datasets.large ? 'large' : 'small'][caller];
      return datasetId === datasets.broken ? { body, cutAfterBytes: body.length / 2 } : { body };
    });

    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    onTestFinished(() => agent.destroy());
    const answered = new Map<string, Set<string>>();
    const counts = { answered: 0, left: 0, failed: 0, large: 0 };
    const sockets = new Set<unknown>();

    const ask = async (index: number) => {
      const caller = clients[index % 2] ?? 'anna';
      const wanted = (Object.keys(documents) as Wanted[])[Math.floor(index / 2) % 4] ?? 'rows';
      const request = httpRequest(subgraph.url, {
        agent,
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${tokenOf(caller)}` },
      });
      const leaves = index % LEAVING_EVERY === 0;
      // Every other one that leaves does so before its answer begins, while the service is being asked.
      if (leaves && index % 2 === 0) request.once('finish', () => setImmediate(() => request.destroy()));
      request.end(JSON.stringify({ query: documents[wanted], variables: { id: datasetAskedBy(index) } }));
      const response = await new Promise<IncomingMessage | undefined>((resolve) => {
        request.once('response', resolve).once('error', () => resolve(undefined));
      });
      if (response === undefined) {
        counts.left += 1;
        return;
      }
      sockets.add(response.socket);
      const chunks: Buffer[] = [];
      response.on('data', (chunk) => {
        chunks.push(chunk);
        // In the middle of a long answer; a short one has come whole.
        if (leaves) response.destroy();
      });
      await finished(response).catch(() => {});
      const text = Buffer.concat(chunks).toString();
      expect(text).not.toContain(markerOf(otherOf(caller)));
      if (!response.complete) {
        counts.left += 1;
        return;
      }
      counts.answered += 1;
      if (text.includes('"errors"')) {
        counts.failed += 1;
        return;
      }
      expect(text).toContain(markerOf(caller));
      const isLarge = text.length > 20_000;
      if (isLarge) counts.large += 1;
      // One and the same text for each caller, document and size, however often.
      const key = `${caller} ${wanted} ${isLarge}`;
      const texts = answered.get(key) ?? new Set();
      answered.set(key, texts.add(text));
    };

    let next = 0;
    const work = async () => {
      while (next < operations) {
        next += 1;
        await ask(next);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));

    expect(counts.answered + counts.left).toBe(operations);
    expect(counts.left).toBeGreaterThan(operations / 20);
    expect(counts.large).toBeGreaterThan(operations / 40);
    expect(counts.failed).toBeGreaterThan(0);
    expect(counts.failed).toBeLessThan(operations / 50);
    for (const [key, texts] of answered) expect(texts.size, key).toBe(1);
    expect(answered.size).toBe(14);
    // Connections are kept but for those that a caller has left.
    expect(sockets.size).toBeLessThan(operations / 4);
  }, 120_000);
});
