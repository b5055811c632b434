import { useCallback, useEffect, useState } from 'react';
import { loadOutline, type Outline } from './outline.ts';
import type { Access } from './post.ts';

/** What is known of a dataset's outline. */
export type OutlineState =
  | { readonly kind: 'none' }
  | { readonly kind: 'loading' }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'ready'; readonly outline: Outline };

/**
 * The outline of a dataset, when it is asked for by this operation. Each dataset is read once, and again after a failure.
 *
 * @param onEnd is called when a dataset has been read; without an outline after a failure
 */
export function useOutline(
  datasetId: string,
  query: string,
  access: () => Access,
  onEnd: (datasetId: string, outline: Outline | undefined) => void,
): [OutlineState, () => void] {
  const [states, setStates] = useState<ReadonlyMap<string, OutlineState>>(new Map());
  const [requests] = useState(() => new AbortController());
  useEffect(() => () => requests.abort(), [requests]);
  const state = states.get(datasetId) ?? { kind: 'none' };
  const load = useCallback(() => {
    if (datasetId === '' || state.kind === 'loading' || state.kind === 'ready') return;
    const enter = (next: OutlineState) => setStates((all) => new Map(all).set(datasetId, next));
    enter({ kind: 'loading' });
    loadOutline(access(), query, datasetId, requests.signal).then(
      (outline) => {
        enter({ kind: 'ready', outline });
        onEnd(datasetId, outline);
      },
      (error: unknown) => {
        if (requests.signal.aborted) return;
        enter({ kind: 'failed', message: messageOf(error) });
        onEnd(datasetId, undefined);
      },
    );
  }, [datasetId, query, state.kind, access, onEnd, requests]);
  return [state, load];
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
