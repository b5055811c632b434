import { useEffect, useState } from 'react';
import { loadOutline, type Outline, OutlineError } from '../outline.ts';
import type { Access } from '../post.ts';
import type { ResponseError, ResponseFailure } from '../response/worker/protocol.ts';

/** What is known of a dataset. */
export type DatasetState =
  | { readonly kind: 'loading' }
  /** The server said why it has no dataset. */
  | { readonly kind: 'error'; readonly errors: readonly ResponseError[] }
  /** There was no response. */
  | { readonly kind: 'failed'; readonly failure: ResponseFailure }
  | { readonly kind: 'ready'; readonly outline: Outline };

/** Reads what a dataset holds, again for each token. */
export function useDataset({ endpoint, token }: Access, query: string, id: string): DatasetState {
  const [state, setState] = useState<DatasetState>({ kind: 'loading' });
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    setState({ kind: 'loading' });
    loadOutline({ endpoint, token }, query, id, signal).then(
      (outline) => !signal.aborted && setState({ kind: 'ready', outline }),
      (error: unknown) => !signal.aborted && setState(stateOf(error)),
    );
    return () => controller.abort();
  }, [endpoint, token, query, id]);
  return state;
}

function stateOf(error: unknown): DatasetState {
  if (error instanceof OutlineError) return { kind: 'error', errors: error.errors };
  const detail = error instanceof Error ? error.message : String(error);
  return { kind: 'failed', failure: { kind: error instanceof SyntaxError ? 'notJson' : 'network', detail } };
}
