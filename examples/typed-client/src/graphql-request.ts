import { print } from 'graphql';
import { GraphQLClient } from 'graphql-request';
import { headers, url } from './endpoint.ts';
import type { WeatherQuery, WeatherQueryVariables } from './generated/graphql.ts';
import { show } from './show.ts';
import { variables, weather } from './weather.ts';

// By default any error would throw away the data.
const client = new GraphQLClient(url, { headers, errorPolicy: 'all' });

// `client.request(weather, variables)` finds out the types by itself, but gives the data without the errors.
const { data, errors } = await client.rawRequest<WeatherQuery, WeatherQueryVariables>({
  query: print(weather),
  variables,
});
show(data, errors);
