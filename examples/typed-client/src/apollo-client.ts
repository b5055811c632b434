import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { headers, url } from './endpoint.ts';
import { SeveralDatasetsDocument } from './generated/graphql.ts';
import { show } from './show.ts';
import { endIfUnreachable } from './unreachable.ts';
import { variables } from './weather.ts';

// One client for each user: its cache does not distinguish tokens.
const client = new ApolloClient({
  link: new HttpLink({ uri: url, headers }),
  cache: new InMemoryCache(),
});

// By default an error would discard the data.
const { data, error } = await client.query({ query: SeveralDatasetsDocument, variables, errorPolicy: 'all' });
if (error && !CombinedGraphQLErrors.is(error)) endIfUnreachable(error);
show(data, error?.errors);
