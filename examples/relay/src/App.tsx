import { Suspense } from 'react';
import { graphql, RelayEnvironmentProvider, useLazyLoadQuery } from 'react-relay';
import { AssetPages } from './AssetPages.tsx';
import { environment } from './environment.ts';
import type { AppQuery } from './generated/AppQuery.graphql.ts';

export function App({ id }: { readonly id: string }) {
  return (
    <RelayEnvironmentProvider environment={environment}>
      <Suspense>
        <Dataset id={id} />
      </Suspense>
    </RelayEnvironmentProvider>
  );
}

function Dataset({ id }: { readonly id: string }) {
  const data = useLazyLoadQuery<AppQuery>(
    graphql`
      query AppQuery($id: ID!) {
        dataset(id: $id) { id name }
        ...AssetPages_query @arguments(id: $id)
      }
    `,
    { id },
  );
  return (
    <>
      <h1>{data.dataset?.name}</h1>
      <AssetPages query={data} />
    </>
  );
}
