import { useCallback, useEffect, useState } from 'react';
import { OperationError } from './operation-error.ts';
import { loadFacts, loadOutline, type Outline } from './outline.ts';
import type { Access } from './post.ts';
import { reasonOf } from './response/message-of.ts';
import type { ResponseError } from './response/worker/protocol.ts';
import type { PageOperations } from './settings.ts';

/** Why nothing is known of a dataset. */
export interface FailedOutline {
  readonly kind: 'failed';
  readonly message: string;
  /** The errors of the response; empty if there was none. */
  readonly errors: readonly ResponseError[];
}

/** What is known of a dataset's outline. */
export type OutlineState =
  | { readonly kind: 'none' }
  | { readonly kind: 'loading' }
  | FailedOutline
  | { readonly kind: 'ready'; readonly outline: Outline };

/**
 * The outline of a dataset, when it is asked for. Each dataset is read once, and again after a failure.
 *
 * @param onEnd is called when a dataset has been read, or could not be read
 */
export function useOutline(
  datasetId: string,
  operations: PageOperations,
  access: () => Access,
  onEnd: (datasetId: string, end: FailedOutline | Outline) => void,
): [OutlineState, () => void] {
  const [states, setStates] = useState<ReadonlyMap<string, OutlineState>>(new Map());
  const [requests] = useState(() => new AbortController());
  useEffect(() => () => requests.abort(), [requests]);
  const state = states.get(datasetId) ?? { kind: 'none' };
  const load = useCallback(() => {
    if (datasetId === '' || state.kind === 'loading' || state.kind === 'ready') return;
    const enter = (next: OutlineState) => setStates((all) => new Map(all).set(datasetId, next));
    enter({ kind: 'loading' });
    const request = { access: access(), operations, id: datasetId, signal: requests.signal };
    void loadFacts(request)
      .then((facts) => loadOutline(request, facts))
      .then(
        (outline) => {
          enter({ kind: 'ready', outline });
          onEnd(datasetId, outline);
        },
        (error: unknown) => {
          if (requests.signal.aborted) return;
          const failed = failureOf(error);
          enter(failed);
          onEnd(datasetId, failed);
        },
      );
  }, [datasetId, operations, state.kind, access, onEnd, requests]);
  return [state, load];
}

function failureOf(error: unknown): FailedOutline {
  return { kind: 'failed', message: reasonOf(error), errors: error instanceof OperationError ? error.errors : [] };
}
