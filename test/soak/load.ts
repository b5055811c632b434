import { setTimeout } from 'node:timers/promises';
import { Pool } from 'undici';
import { pick, randomNumbers } from './random.ts';
import { assetId, LARGE, MIDDLE, ODD, SMALL, TINY, TOKEN } from './service.ts';

/** One kind of request, made as often as its weight says. */
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

/** A document that was never sent before; so large that some 1500 fill the GraphQL server's cache of documents. */
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
  { title: 'refused', weight: 60, body: () => ({ query: '{ dataset(id: "..") { name } nothing }' }) },
  { title: 'new documents', weight: 20, body: newDocument },
  { title: 'middling answers', weight: 20, body: () => ofDataset(MIDDLE, nodes(`asset { name } ${rows}`)) },
  { title: 'large answers', weight: 3, body: () => ofDataset(LARGE, nodes(`asset { name } ${rows}`)) },
  {
    title: 'odd bodies',
    weight: 3,
    body: (index) => ofDataset(ODD[index % ODD.length] ?? '', nodes(`asset { assetId name } ${rows}`)),
  },
  {
    title: 'large answers, the generic path',
    weight: 0.5,
    body: () => ofDataset(LARGE, nodes('a: asset { name } asset { series { version } }')),
  },
];

/** What came of requests so far. */
export interface Tally {
  requests: number;
  /** Clients that have left before they had their answer. */
  left: number;
  /** By HTTP status. */
  readonly statuses: Map<number, number>;
  /** Errors of the answers by their code. */
  readonly codes: Map<string, number>;
  /** Milliseconds of answers by the kind of work. */
  readonly latencies: Map<string, number[]>;
  /** Connections to the subgraph that broke, which must not be. */
  broken: number;
}

export function emptyTally(): Tally {
  return { requests: 0, left: 0, statuses: new Map(), codes: new Map(), latencies: new Map(), broken: 0 };
}

const CONNECTIONS = 24;
const LEAVING_SHARE = 0.03;
const PATIENCE_MS = 60_000;

const random = randomNumbers(2);
let made = 0;

/** Keeps requests of all kinds in flight until the time is over; then all are answered or have left. */
export async function load(endpoint: URL, tally: Tally, milliseconds: number): Promise<void> {
  const until = performance.now() + milliseconds;
  await inFlight(endpoint, tally, () => (performance.now() < until ? pick(works, random) : undefined));
}

/** Fills the cache of documents, which is bounded, so that its growth is over before growth is measured. */
export async function fillCaches(endpoint: URL, tally: Tally): Promise<void> {
  const work = works.find(({ body }) => body === newDocument);
  let left = 2000;
  await inFlight(endpoint, tally, () => (left-- > 0 ? work : undefined));
}

async function inFlight(endpoint: URL, tally: Tally, next: () => Work | undefined): Promise<void> {
  const pool = new Pool(endpoint.origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    headersTimeout: PATIENCE_MS,
    bodyTimeout: PATIENCE_MS,
  });
  const worker = async () => {
    for (let work = next(); work !== undefined; work = next()) await make(pool, endpoint.pathname, work, tally);
  };
  try {
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  } finally {
    await pool.destroy();
  }
}

async function make(pool: Pool, path: string, { title, body }: Work, tally: Tally): Promise<void> {
  made += 1;
  tally.requests += 1;
  const leaving = random() < LEAVING_SHARE ? new AbortController() : undefined;
  if (leaving) void setTimeout(random() * 40).then(() => leaving.abort());
  const sent = performance.now();
  try {
    const response = await pool.request({
      path,
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}` },
      body: JSON.stringify(body(made)),
      ...(leaving && { signal: leaving.signal }),
    });
    const text = await response.body.text();
    JSON.parse(text);
    count(tally.statuses, response.statusCode);
    for (const [, code = ''] of text.matchAll(/"code":"([A-Z_]+)"/g)) count(tally.codes, code);
    const latencies = tally.latencies.get(title) ?? [];
    tally.latencies.set(title, latencies);
    latencies.push(performance.now() - sent);
  } catch {
    if (leaving?.signal.aborted) tally.left += 1;
    else tally.broken += 1;
  }
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}
