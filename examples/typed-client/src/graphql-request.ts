import { print } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { headers, url } from './endpoint.ts';
import {
  SeveralDatasetsDocument,
  type SeveralDatasetsQuery,
  type SeveralDatasetsQueryVariables,
} from './generated/graphql.ts';
import { show } from './show.ts';
import { endIfUnreachable } from './unreachable.ts';
import { variables } from './weather.ts';

// By default an error would discard the data.
const client = new GraphQLClient(url, { headers, errorPolicy: 'all' });

// `client.request(SeveralDatasetsDocument, variables)` infers the types, but returns the data without the errors.
const { data, errors } = await client
  .rawRequest<SeveralDatasetsQuery, SeveralDatasetsQueryVariables>({
    query: print(SeveralDatasetsDocument),
    variables,
  })
  .catch(endIfUnreachable);
show(data, errors);
