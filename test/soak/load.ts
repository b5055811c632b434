import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { pick, randomNumbers } from './random.ts';
import { assetId, LARGE, MIDDLE, ODD, SMALL, TINY, TOKEN } from './service.ts';

/** One kind of request. Its weight sets how often it is sent. */
interface Work {
  readonly title: string;
  readonly weight: number;
  readonly body: (index: number) => { query: string; variables?: Record<string, unknown> };
}

const ofDataset = (id: string, selection: string) => ({
  query: `query ($id: ID!) { dataset(id: $id) { ${selection} } }`,
  variables: { id },
});
const nodes = (selection: string) => `results { sourceId series { nodes { ${selection} } } }`;
const rows = 'results { valueDate metrics { name value } }';
const metadata = 'id name description assetCount sharing startDate startDateTime';

/** A new document, so large that some 1500 fill the GraphQL server's document cache. */
const newDocument = (index: number) => ({ query: `{ dataset(id: "${index} ${'x'.repeat(20_000)}") { id } }` });

const works: readonly Work[] = [
  { title: 'metadata', weight: 400, body: () => ofDataset(SMALL, metadata) },
  { title: 'rows', weight: 150, body: () => ofDataset(SMALL, `name ${nodes(`asset { name } ${rows}`)}`) },
  {
    title: 'columns',
    weight: 60,
    body: () => ofDataset(MIDDLE, nodes('asset { name } columns { metrics { name values } }')),
  },
  {
    title: 'single assets',
    weight: 100,
    body: (index) =>
      ofDataset(
        SMALL,
        [0, 1, 2]
          .map((asset) => `a${asset}: asset(assetId: "${assetId((asset * index) % 9)}") { name series { ${rows} } }`)
          .join(' '),
      ),
  },
  {
    title: 'entities',
    weight: 100,
    body: () => ({
      query: `query ($references: [_Any!]!) { _entities(representations: $references) {
        ... on Dataset { name } ... on Asset { name series { version } } } }`,
      variables: {
        references: [
          ...TINY.slice(0, 5).map((id) => ({ __typename: 'Dataset', id })),
          ...[0, 1, 2, 3, 4].map((asset) => ({ __typename: 'Asset', datasetId: SMALL, assetId: assetId(asset) })),
        ],
      },
    }),
  },
  {
    title: 'many datasets',
    weight: 40,
    body: () => ({
      query: 'query ($ids: [ID!]!) { datasets(ids: $ids) { id name assetCount } }',
      variables: { ids: TINY },
    }),
  },
  { title: 'invalid documents', weight: 60, body: () => ({ query: '{ dataset(id: "..") { name } nothing }' }) },
  { title: 'new documents', weight: 20, body: newDocument },
  { title: 'medium responses', weight: 20, body: () => ofDataset(MIDDLE, nodes(`asset { name } ${rows}`)) },
  { title: 'large responses', weight: 3, body: () => ofDataset(LARGE, nodes(`asset { name } ${rows}`)) },
  {
    title: 'odd bodies',
    weight: 3,
    body: (index) => ofDataset(ODD[index % ODD.length] ?? '', nodes(`asset { assetId name } ${rows}`)),
  },
  {
    title: 'large responses, generic path',
    weight: 0.5,
    body: () => ofDataset(LARGE, nodes('a: asset { name } asset { series { version } }')),
  },
];

/** The outcome of the requests so far. */
export interface Tally {
  requests: number;
  /** Requests whose client disconnected before the response. */
  disconnected: number;
  /** By HTTP status. */
  readonly statuses: Map<number, number>;
  /** Errors in the responses by code. */
  readonly codes: Map<string, number>;
  /** Response times in milliseconds by kind of work. */
  readonly latencies: Map<string, number[]>;
  /** Requests without a complete response. There must be none. */
  failed: number;
}

export function emptyTally(): Tally {
  return { requests: 0, disconnected: 0, statuses: new Map(), codes: new Map(), latencies: new Map(), failed: 0 };
}

const CONNECTIONS = 24;
const DISCONNECTING_SHARE = 0.03;
const TIMEOUT_MS = 60_000;

const random = randomNumbers(2);
let sentCount = 0;

/** Keeps requests of all kinds in flight for this time, and waits until all have ended. */
export async function load(endpoint: URL, tally: Tally, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  await inFlight(endpoint, tally, () => (performance.now() < until ? pick(works, random) : undefined));
}

/** Fills the bounded document cache, so that it does not grow during the measurement. */
export async function fillCaches(endpoint: URL, tally: Tally): Promise<void> {
  const work = works.find(({ body }) => body === newDocument);
  let remaining = 2000;
  await inFlight(endpoint, tally, () => (remaining-- > 0 ? work : undefined));
}

async function inFlight(endpoint: URL, tally: Tally, next: () => Work | undefined): Promise<void> {
  const pool = new Pool(endpoint.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: TIMEOUT_MS,
    bodyTimeout: TIMEOUT_MS,
  });
  const worker = async () => {
    for (let work = next(); work !== undefined; work = next()) await sendOne(pool, endpoint.pathname, work, tally);
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  } finally {
    await pool.destroy();
  }
}

async function sendOne(pool: Pool, path: string, { title, body }: Work, tally: Tally): Promise<void> {
  sentCount += 1;
  tally.requests += 1;
  const disconnecting = random() < DISCONNECTING_SHARE ? new AbortController() : undefined;
  if (disconnecting) void setTimeout(random() * 40).then(() => disconnecting.abort());
  const sent = performance.now();
  try {
    const response = await pool.request({
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body(sentCount)),
      ...(disconnecting && { signal: disconnecting.signal }),
    });
    const text = await response.body.text();
    JSON.parse(text);
    count(tally.statuses, response.statusCode);
    for (const [, code = ''] of text.matchAll(/"code":"([A-Z_]+)"/g)) count(tally.codes, code);
    const latencies = tally.latencies.get(title) ?? [];
    tally.latencies.set(title, latencies);
    latencies.push(performance.now() - sent);
  } catch {
    if (disconnecting?.signal.aborted) tally.disconnected += 1;
    else tally.failed += 1;
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
