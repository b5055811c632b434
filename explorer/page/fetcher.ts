import type { Fetcher, FetcherParams, Observable } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';
import type { Operation } from './operation.ts';
import { post } from './post.ts';
import { sendOperation } from './response/response-client.ts';
import { responseStore } from './response/response-store.ts';

/**
 * Sends operations to the endpoint, each with the current token, if there is one. The response goes to the response store;
 * GraphiQL gets an empty result, because its editor would keep all of the text. Introspection gets its response as GraphiQL expects.
 *
 * Stopping an operation or changing the tab aborts it, so that a tab never shows the response of another tab.
 */
export function createFetcher(endpoint: string, currentToken: () => string): Fetcher {
  return (operation, options = {}) => {
    const token = currentToken();
    // What GraphiQL sends by itself, to know the schema, comes from no editor.
    if (!('documentAST' in options)) return introspect(endpoint, token, operation);
    return observe(endpoint, token, operation);
  };
}

async function introspect(endpoint: string, token: string, operation: FetcherParams): Promise<ExecutionResult> {
  const response = await post({ endpoint, token }, JSON.stringify(operation));
  return (await response.json()) as ExecutionResult;
}

function operationOf({ query, variables, operationName }: FetcherParams): Operation {
  return {
    query,
    variables,
    // Just after a change of the tab, GraphiQL still has the operation name of the previous tab.
    ...(operationName && query.includes(operationName) && { operationName }),
  };
}

/** An operation as an observable, so that GraphiQL can abort the request. */
function observe(endpoint: string, token: string, params: FetcherParams): Observable<ExecutionResult> {
  const operation = operationOf(params);
  const subscribe = (observer: Observer) => {
    const tab = responseStore.openTab();
    const began = performance.now();
    const report = (bytes: number, isComplete: boolean) =>
      responseStore.set(tab, { kind: 'running', bytes, began, isComplete });
    const sent = sendOperation({ endpoint, token, body: JSON.stringify(operation) }, report);
    let isRunning = true;
    report(0, false);
    void sent.ended.then((end) => {
      isRunning = false;
      responseStore.set(tab, end.kind === 'done' ? { ...end, operation } : end);
      observer.next({});
      observer.complete();
    });
    return {
      unsubscribe: () => {
        if (!isRunning) return;
        isRunning = false;
        sent.abort();
        responseStore.set(tab, { kind: 'stopped' });
      },
    };
  };
  // The type has older call signatures, which GraphiQL does not use.
  return { subscribe } as Observable<ExecutionResult>;
}

interface Observer {
  next(response: ExecutionResult): void;
  error(error: unknown): void;
  complete(): void;
}
