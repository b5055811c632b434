import { Environment, Network, RecordSource, Store } from 'relay-runtime';

const url = process.env.GRAPHQL_URL ?? 'http://127.0.0.1:4000/graphql';
const token = process.env.TOKEN ?? 'demo-token';

/** One environment for each user: its store does not distinguish tokens. */
export const environment = new Environment({
  network: Network.create(async ({ text }, variables) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ query: text, variables }),
    });
    return response.json();
  }),
  store: new Store(new RecordSource()),
});
