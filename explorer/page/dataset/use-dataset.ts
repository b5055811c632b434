import { useEffect, useState } from 'react';
import { loadOutline, type Outline } from '../outline.ts';
import type { Access } from '../post.ts';

/** How reading a dataset ended. */
type DatasetEnd =
  | { readonly kind: 'failed'; readonly error: unknown }
  | { readonly kind: 'ready'; readonly outline: Outline };

/** What is known of a dataset. */
export type DatasetState = { readonly kind: 'noToken' | 'loading' } | DatasetEnd;

/** Reads what a dataset holds, again for each new access. What is known stays until then. */
export function useDataset(access: Access, query: string, id: string): DatasetState {
  const [read, setRead] = useState<{ readonly access: Access; readonly end: DatasetEnd }>();
  useEffect(() => {
    if (access.token === '') return;
    const controller = new AbortController();
    const { signal } = controller;
    const enter = (end: DatasetEnd) => {
      if (!signal.aborted) setRead((last) => ({ access, end: isSame(last?.end, end) ? last.end : end }));
    };
    loadOutline(access, query, id, signal).then(
      (outline) => enter({ kind: 'ready', outline }),
      (error: unknown) => enter({ kind: 'failed', error }),
    );
    return () => controller.abort();
  }, [access, query, id]);
  if (access.token === '') return { kind: 'noToken' };
  return read?.access === access || read?.end.kind === 'ready' ? read.end : { kind: 'loading' };
}

/** Whether nothing is new. Then nothing that depends on it is read again. */
function isSame(last: DatasetEnd | undefined, end: DatasetEnd): last is DatasetEnd {
  return JSON.stringify(last) === JSON.stringify(end);
}
