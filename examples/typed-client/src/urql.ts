import { Client, cacheExchange, fetchExchange } from '@urql/core';
import { headers, url } from './endpoint.ts';
import { SeveralDatasetsDocument } from './generated/graphql.ts';
import { show } from './show.ts';
import { endIfUnreachable } from './unreachable.ts';
import { variables } from './weather.ts';

// One client for each user: its cache does not distinguish tokens.
const client = new Client({
  url,
  fetchOptions: { headers },
  exchanges: [cacheExchange, fetchExchange],
  // By default urql sends queries by GET. The subgraph rejects those, because they could come from another site.
  preferGetMethod: false,
});

const { data, error } = await client.query(SeveralDatasetsDocument, variables);
if (error?.networkError) endIfUnreachable(error.networkError);
show(data, error?.graphQLErrors);
