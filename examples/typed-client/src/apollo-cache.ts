import { setImmediate } from 'node:timers/promises';
import { ApolloClient, HttpLink, type ObservableQuery, type OperationVariables } from '@apollo/client';
import { filter, firstValueFrom } from 'rxjs';
import { createCache } from './cache.ts';
import { headers, url } from './endpoint.ts';
import { AssetEdgesDocument, AssetListDocument, AssetMapDocument, AssetPageDocument } from './generated/graphql.ts';
import { id } from './weather.ts';

let requests = 0;
const client = new ApolloClient({
  link: new HttpLink({
    uri: url,
    headers,
    fetch: (...request) => {
      requests += 1;
      return fetch(...request);
    },
  }),
  cache: createCache(),
});

/** Waits until a query has all of its data. A query that has lost some of it fetches it again, and is waited for. */
async function complete<T, V extends OperationVariables>(query: ObservableQuery<T, V>): Promise<T> {
  for (let turn = 0; turn < 3; turn += 1) await setImmediate();
  const { data, error } = await firstValueFrom(
    query.pipe(
      filter(({ loading, dataState, error }) => error !== undefined || (!loading && dataState === 'complete')),
    ),
  );
  if (error) throw error;
  return data as T;
}

// Two parts of a page, mounted at the same time.
const list = client.watchQuery({ query: AssetListDocument, variables: { id } });
const map = client.watchQuery({ query: AssetMapDocument, variables: { id } });
const mounted = [list.subscribe(() => {}), map.subscribe(() => {})];
await Promise.all([complete(list), complete(map)]);
const [listed, mapped] = [await complete(list), await complete(map)];
for (const { asset, rowCount } of listed.dataset?.results?.series?.nodes ?? []) {
  console.log(`List: ${asset.name}, ${rowCount} rows`);
}
for (const { asset } of mapped.dataset?.results?.series?.nodes ?? []) {
  console.log(`Map: ${asset.assetId} at ${asset.centroid?.latitude} ${asset.centroid?.longitude}`);
}
console.log(`${requests} requests`);

// Page by page: fetchMore adds a page to those that are there.
const pages = client.watchQuery({ query: AssetEdgesDocument, variables: { id, first: 1 } });
mounted.push(pages.subscribe(() => {}));
const first = await complete(pages);
const after = first.dataset?.results?.series?.pageInfo.endCursor ?? null;
await pages.fetchMore({ variables: { after } });
const all = await complete(pages);
console.log(`Pages: ${all.dataset?.results?.series?.edges.map(({ node }) => node.asset.name).join(', ')}`);

// One page at a time: the cache keeps each page of nodes by its arguments.
for (const cursor of [null, after]) {
  const { data } = await client.query({ query: AssetPageDocument, variables: { id, first: 1, after: cursor } });
  console.log(`One page: ${data?.dataset?.results?.series?.nodes.map(({ asset }) => asset.name).join(', ')}`);
}
console.log(`${requests} requests`);
for (const subscription of mounted) subscription.unsubscribe();
