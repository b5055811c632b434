import type { Fetcher, FetcherParams, Observable } from '@graphiql/toolkit';
import type { ExecutionResult } from 'graphql';
import { startAnswer } from './answer/answer-client.ts';
import { answerStore } from './answer/answer-store.ts';
import { post } from './post.ts';

/**
 * Sends operations to the endpoint, each with the current token, if there is one. The answer goes to the answer store;
 * GraphiQL gets an empty result, because its editor would keep all of the text. Introspection is answered as GraphiQL expects.
 *
 * Stopping an operation or changing the tab aborts it, so that a tab never shows the response of another tab.
 */
export function createFetcher(endpoint: string, currentToken: () => string): Fetcher {
  return (operation, options = {}) => {
    const token = currentToken().trim();
    // What GraphiQL sends by itself, to know the schema, comes from no editor.
    if (!('documentAST' in options)) return introspect(endpoint, token, operation);
    return observe(endpoint, token, operation);
  };
}

async function introspect(endpoint: string, token: string, operation: FetcherParams): Promise<ExecutionResult> {
  const response = await post({ endpoint, token }, JSON.stringify(operation));
  return (await response.json()) as ExecutionResult;
}

function bodyOf({ query, variables, operationName }: FetcherParams): string {
  return JSON.stringify({
    query,
    variables,
    // Just after a change of the tab, GraphiQL still has the operation name of the previous tab.
    ...(operationName && query.includes(operationName) && { operationName }),
  });
}

/** An operation as an observable, so that GraphiQL can abort the request. */
function observe(endpoint: string, token: string, operation: FetcherParams): Observable<ExecutionResult> {
  const subscribe = (observer: Observer) => {
    const tab = answerStore.openTab();
    const began = performance.now();
    const report = (bytes: number, isComplete: boolean) =>
      answerStore.set(tab, { kind: 'running', bytes, began, isComplete });
    const answer = startAnswer({ endpoint, token, body: bodyOf(operation) }, report);
    let isRunning = true;
    report(0, false);
    answer.ended.then((end) => {
      isRunning = false;
      answerStore.set(tab, end);
      observer.next({});
      observer.complete();
    });
    return {
      unsubscribe: () => {
        if (!isRunning) return;
        isRunning = false;
        answer.abort();
        answerStore.set(tab, { kind: 'idle' });
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
