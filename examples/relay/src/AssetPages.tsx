import { graphql, usePaginationFragment } from 'react-relay';
import type { AssetPages_query$key } from './generated/AssetPages_query.graphql.ts';
import type { AssetPagesNextQuery } from './generated/AssetPagesNextQuery.graphql.ts';

/**
 * The assets of a dataset, page by page. The fragment is on `Query`, because Relay can only refetch there: this schema has no
 * `Node`. Each further page repeats the REST call, of which a page is a part.
 */
export function AssetPages({ query }: { readonly query: AssetPages_query$key }) {
  const { data, hasNext, isLoadingNext, loadNext } = usePaginationFragment<AssetPagesNextQuery, AssetPages_query$key>(
    graphql`
      fragment AssetPages_query on Query
      @argumentDefinitions(id: { type: "ID!" }, first: { type: "Int", defaultValue: 1 }, after: { type: "String" })
      @refetchable(queryName: "AssetPagesNextQuery") {
        dataset(id: $id) {
          id
          results {
            series(first: $first, after: $after) @connection(key: "AssetPages_series") {
              edges { node { rowCount asset { id name } } }
            }
          }
        }
      }
    `,
    query,
  );
  return (
    <>
      <ul>
        {data.dataset?.results?.series?.edges.map(({ node: { asset, rowCount } }) => (
          <li key={asset.id}>
            {asset.name}: {rowCount} rows
          </li>
        ))}
      </ul>
      {hasNext && (
        <button type="button" disabled={isLoadingNext} onClick={() => loadNext(1)}>
          More
        </button>
      )}
    </>
  );
}
