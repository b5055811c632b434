import { Client, fetchExchange, type OperationResult, type OperationResultSource } from '@urql/core';
import { headers, url } from './endpoint.ts';
import { AssetEdgesDocument, type AssetEdgesQuery, AssetListDocument, AssetMapDocument } from './generated/graphql.ts';
import { createGraphcache } from './graphcache.ts';
import { id } from './weather.ts';

let requests = 0;
const client = new Client({
  url,
  fetchOptions: { headers },
  exchanges: [createGraphcache(), fetchExchange],
  preferGetMethod: false,
  fetch: (...request) => {
    requests += 1;
    return fetch(...request);
  },
});

/** Mounts a query. `complete` waits until it has all of its data. */
function mount<T>(source: OperationResultSource<OperationResult<T>>) {
  let latest: OperationResult<T> | undefined;
  let wake = () => {};
  const { unsubscribe } = source.subscribe((result) => {
    latest = result;
    wake();
  });
  const complete = async (): Promise<T> => {
    while (latest === undefined || latest.stale) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    if (latest.error) throw latest.error;
    return latest.data as T;
  };
  return { complete, unsubscribe };
}

// Two parts of a page, mounted at the same time.
const list = mount(client.query(AssetListDocument, { id }));
const map = mount(client.query(AssetMapDocument, { id }));
await Promise.all([list.complete(), map.complete()]);
const [listed, mapped] = [await list.complete(), await map.complete()];
for (const { asset, rowCount } of listed.dataset?.results?.series?.nodes ?? []) {
  console.log(`List: ${asset.name}, ${rowCount} rows`);
}
for (const { asset } of mapped.dataset?.results?.series?.nodes ?? []) {
  console.log(`Map: ${asset.assetId} at ${asset.centroid?.latitude} ${asset.centroid?.longitude}`);
}
console.log(`${requests} requests`);

// Page by page: the cache keeps each page by its arguments, and the application puts them together.
const names: (string | null)[] = [];
for (let after: string | null = null, more = true; more; ) {
  const page: OperationResult<AssetEdgesQuery> = await client.query(AssetEdgesDocument, { id, first: 1, after });
  if (page.error) throw page.error;
  const series = page.data?.dataset?.results?.series;
  names.push(...(series?.edges ?? []).map(({ node }) => node.asset.name));
  after = series?.pageInfo.endCursor ?? null;
  more = series?.pageInfo.hasNextPage ?? false;
}
console.log(`Pages: ${names.join(', ')}`);
console.log(`${requests} requests`);
list.unsubscribe();
map.unsubscribe();
