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

/** What the service tells a caller of so many assets; both callers' answers have the same length. */
function resultsOf(caller: ClientIdentity, assets: number): Buffer {
  const marker = markerOf(caller);
  const results = Array.from({ length: 40 }, (_, day) => ({
    value_date: `${marker}-${day}`,
    metrics: [{ name: marker, value: clients.indexOf(caller) + day / 8 }],
  }));
  const assetAt = (at: number) => ({ asset_id: `a${at}`, asset_name: marker, asset_version: at, results });
  const ids = { processing_id: marker, source_id: marker };
  return Buffer.from(JSON.stringify({ ...ids, assets: Array.from({ length: assets }, (_, at) => assetAt(at)) }));
}

const nodes = (selection: string) => ofDataset(`results { processingId series { nodes { ${selection} } } }`);
const documents = [
  ofDataset('name description'),
  nodes('asset { assetId name }'),
  nodes('version asset { name } rows { valueDate metrics { name value } }'),
  nodes('asset { name } columns { valueDates metrics { name values } }'),
];

const OPERATIONS = 2000;
const CONNECTIONS = 8;
const LEAVING_EVERY = 7;

/** The kinds of datasets: which one an operation asks for follows from its number and not from the order of calls. */
const datasets = {
  small: '11111111-1111-4111-8111-111111111111',
  // Above 1 MB, from where on the memory of REST answers is used again by other operations.
  large: '22222222-2222-4222-8222-222222222222',
  // Its results break in the middle, after their memory has been taken.
  broken: '33333333-3333-4333-8333-333333333333',
};
const datasetAskedBy = (index: number) =>
  index % 97 === 0 ? datasets.broken : index % 11 === 0 ? datasets.large : datasets.small;

describe('3.7 Two clients', () => {
  it('get, interleaved thousands of times over kept connections, their own responses and nothing of each other', async () => {
    const accounts = clients.map((caller) => ({ email: caller, password: caller, token: tokenOf(caller) }));
    const bodies = {
      small: { anna: resultsOf('anna', 2), bert: resultsOf('bert', 2) },
      large: { anna: resultsOf('anna', 400), bert: resultsOf('bert', 400) },
    };
    expect(bodies.large.anna.length).toBeGreaterThan(2 ** 20);
    const env = { LOG_LEVEL: 'warn' };
    const { simulator, subgraph } = await start({ accounts, datasets: Object.values(datasets).map(datasetOf), env });
    simulator.intercept(({ operation, headers, datasetId }) => {
      simulator.clear();
      const caller = clients.find((candidate) => headers.authorization?.[0] === `Bearer ${tokenOf(candidate)}`);
      if (caller === undefined) return { status: 401 };
      const marker = markerOf(caller);
      if (operation === 'getDatasetMetadata') return { body: JSON.stringify({ name: marker, description: marker }) };
      const body = bodies[datasetId === datasets.large ? 'large' : 'small'][caller];
      return datasetId === datasets.broken ? { body, cutAfterBytes: body.length / 2 } : { body };
    });

    const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });
    onTestFinished(() => agent.destroy());
    const answered = new Map<string, Set<string>>();
    const counts = { left: 0, failed: 0, large: 0 };

    const ask = async (index: number) => {
      const [caller, other] = index % 2 === 0 ? clients : clients.toReversed();
      const query = documents[Math.floor(index / 2) % documents.length] as string;
      const headers = {
        'content-type': 'application/json',
        authorization: `Bearer ${tokenOf(caller as ClientIdentity)}`,
      };
      const request = httpRequest(subgraph.url, { agent, method: 'POST', headers });
      const leaves = index % LEAVING_EVERY === 0;
      // Every other one that leaves does so before its answer begins, while the service is being asked.
      if (leaves && index % 2 === 0) request.once('finish', () => setImmediate(() => request.destroy()));
      request.end(JSON.stringify({ query, variables: { id: datasetAskedBy(index) } }));
      const response = await new Promise<IncomingMessage | undefined>((resolve) => {
        request.once('response', resolve).once('error', () => resolve(undefined));
      });
      const chunks: Buffer[] = [];
      response?.on('data', (chunk) => {
        chunks.push(chunk);
        // In the middle of a long answer; a short one has come whole.
        if (leaves) response.destroy();
      });
      if (response !== undefined) await finished(response).catch(() => {});
      const text = Buffer.concat(chunks).toString();
      expect(text).not.toContain(markerOf(other as ClientIdentity));
      if (response?.complete !== true) counts.left += 1;
      else if (text.includes('"errors"')) counts.failed += 1;
      else {
        expect(text).toContain(markerOf(caller as ClientIdentity));
        const isLarge = text.length > 20_000;
        if (isLarge) counts.large += 1;
        // One and the same text for each caller, document and size, however often.
        const key = `${caller} ${query} ${isLarge}`;
        answered.set(key, (answered.get(key) ?? new Set()).add(text));
      }
    };

    let next = 0;
    const work = async () => {
      while (next < OPERATIONS) {
        next += 1;
        await ask(next);
      }
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, work));

    expect(counts.left).toBeGreaterThan(OPERATIONS / 20);
    expect(counts.large).toBeGreaterThan(OPERATIONS / 40);
    expect(counts.failed).toBeGreaterThan(0);
    expect(counts.failed).toBeLessThan(OPERATIONS / 50);
    for (const [key, texts] of answered) expect(texts.size, key).toBe(1);
    expect(answered.size).toBe(14);
  }, 120_000);
});
