import type { Fetcher } from '@graphiql/toolkit';

/** Sends operations to the endpoint, each with the token that holds at that moment; none where it is empty. */
export function createFetcher(endpoint: string, currentToken: () => string): Fetcher {
  return async ({ query, variables, operationName }) => {
    const token = currentToken().trim();
    const response = await fetch(endpoint, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...(token !== '' && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify({ query, variables, operationName }),
      credentials: 'omit',
    });
    return await response.json();
  };
}
