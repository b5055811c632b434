import { setTimeout } from 'node:timers/promises';

/** A request of the load. */
interface Work {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
  readonly hasToken?: boolean;
}

/** Mistakes that clients make. */
const mistakes: readonly Work[] = [
  { query: '{ dataset(id: "no-such-dataset") { name } }' },
  { query: '{ dataset(id: "x") { noSuchField } }' },
  { query: '{ dataset(id: "x") { name } }', hasToken: false },
];

/** One request in so many is a mistake. */
const MISTAKE_ONE_IN = 12;

/** Between two requests: 2 to 10 a second, in waves of some minutes. */
const MIN_PAUSE_MS = 100;
const MAX_PAUSE_MS = 500;
const WAVE_MS = 240_000;

/** Sends the examples of GraphiQL to the demo, one after the other, until the signal. */
export async function sendLoad(endpoint: URL, signal: AbortSignal): Promise<void> {
  const settings = await fetch(new URL('/graphiql/settings.json', endpoint), { signal });
  const { token, examples } = (await settings.json()) as { token: string; examples: Work[] };
  for (let sent = 1; !signal.aborted; sent += 1) {
    const list = sent % MISTAKE_ONE_IN === 0 ? mistakes : examples;
    const work = list[Math.floor(Math.random() * list.length)] as Work;
    await send(endpoint, work, token, signal);
    await setTimeout(pause(), undefined, { signal });
  }
}

async function send(endpoint: URL, { query, variables, hasToken = true }: Work, token: string, signal: AbortSignal) {
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(hasToken && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
    signal,
  });
  await response.arrayBuffer();
}

function pause(): number {
  const wave = (1 + Math.sin((2 * Math.PI * performance.now()) / WAVE_MS)) / 2;
  return MIN_PAUSE_MS + wave * (MAX_PAUSE_MS - MIN_PAUSE_MS);
}
