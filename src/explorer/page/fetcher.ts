import type { Fetcher, FetcherParams, Observable } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';

/**
 * Sends operations to the endpoint, each with the current token, if there is one. Stopping an operation or changing the tab
 * aborts it, so that a tab never shows the response of another tab.
 */
export function createFetcher(endpoint: string, currentToken: () => string): Fetcher {
  return (operation) => observe((signal) => send(endpoint, currentToken().trim(), operation, signal));
}

async function send(endpoint: string, token: string, operation: FetcherParams, signal: AbortSignal) {
  const { query, variables, operationName } = operation;
  const response = await fetch(endpoint, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(token !== '' && { authorization: `Bearer ${token}` }),
    },
    // Just after a change of the tab, GraphiQL still has the operation name of the previous tab.
    body: JSON.stringify({
      query,
      variables,
      ...(operationName && query.includes(operationName) && { operationName }),
    }),
    credentials: 'omit',
    signal,
  });
  return (await response.json()) as ExecutionResult;
}

/** One response as an observable, so that GraphiQL can abort the request. */
function observe(send: (signal: AbortSignal) => Promise<ExecutionResult>): Observable<ExecutionResult> {
  const subscribe = (observer: Observer) => {
    const request = new AbortController();
    send(request.signal).then(
      (response) => {
        if (request.signal.aborted) return;
        observer.next(response);
        observer.complete();
      },
      (error: unknown) => {
        if (!request.signal.aborted) observer.error(error);
      },
    );
    return { unsubscribe: () => request.abort() };
  };
  // The type has older call signatures, which GraphiQL does not use.
  return { subscribe } as Observable<ExecutionResult>;
}

interface Observer {
  next(response: ExecutionResult): void;
  error(error: unknown): void;
  complete(): void;
}
