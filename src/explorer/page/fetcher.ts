import type { Fetcher, FetcherParams, Observable } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';

/**
 * Sends operations to the endpoint, each with the token that holds at that moment; none where it is empty. What is
 * stopped, or left behind for another tab, is given up: an answer never arrives in a tab that has not asked for it.
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
    // For a moment after another tab is opened GraphiQL still has the name of the operation before.
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

/** One answer in the form in which GraphiQL can end the waiting for it. */
function observe(ask: (signal: AbortSignal) => Promise<ExecutionResult>): Observable<ExecutionResult> {
  const subscribe = (observer: Observer) => {
    const asking = new AbortController();
    ask(asking.signal).then(
      (answer) => {
        if (asking.signal.aborted) return;
        observer.next(answer);
        observer.complete();
      },
      (error: unknown) => {
        if (!asking.signal.aborted) observer.error(error);
      },
    );
    return { unsubscribe: () => asking.abort() };
  };
  // The type has older forms of the call too, which GraphiQL does not use.
  return { subscribe } as Observable<ExecutionResult>;
}

interface Observer {
  next(answer: ExecutionResult): void;
  error(error: unknown): void;
  complete(): void;
}
