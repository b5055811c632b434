import { print } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { headers, url } from './endpoint.ts';
import type { WeatherQuery, WeatherQueryVariables } from './generated/graphql.ts';
import { show } from './show.ts';
import { endIfUnreachable } from './unreachable.ts';
import { variables, weather } from './weather.ts';

// By default an error would discard the data.
const client = new GraphQLClient(url, { headers, errorPolicy: 'all' });

// `client.request(weather, variables)` infers the types, but returns the data without the errors.
const { data, errors } = await client
  .rawRequest<WeatherQuery, WeatherQueryVariables>({
    query: print(weather),
    variables,
  })
  .catch(endIfUnreachable);
show(data, errors);
