import type { Operation } from '../operation.ts';
import { fittingView } from './fitting-view.ts';
import { firstPaneView, type PaneView } from './pane-view.ts';
import { queryResponse } from './response-client.ts';
import type { Received } from './response-progress.tsx';
import type { ResponseError, ResponseFailure, ResponseSummary } from './worker/protocol.ts';

/** The response to the operation of one tab. */
export type ResponseState =
  /** Nothing has run, or its response was forgotten. */
  | { readonly kind: 'idle' }
  /** Somebody stopped it, or left its tab. */
  | { readonly kind: 'stopped' }
  /** What had to be known of the dataset could not be read, so that no operation ran. */
  | { readonly kind: 'refused'; readonly errors: readonly ResponseError[] }
  | ({ readonly kind: 'running' } & Received)
  | { readonly kind: 'done'; readonly summary: ResponseSummary; readonly operation: Operation }
  | { readonly kind: 'failed'; readonly failure: ResponseFailure };

const idle: ResponseState = { kind: 'idle' };

/** Responses with more bytes together are forgotten, except the newest. */
const MAX_KEPT_BYTES = 50_000_000;

const states = new Map<string, ResponseState>();
const views = new Map<string, PaneView>();
const listeners = new Set<() => void>();
let openTab = '';
let linkCount = 0;

/**
 * The responses of all tabs of the page, and what the user wants to see of them. Each tab has one; the fetcher fills it, the pane
 * shows that of the open tab.
 */
export const responseStore = {
  /** Calls back after each change. Returns a function that ends this. */
  subscribe(listener: () => void): () => void {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },

  /** The response of the open tab; for `useSyncExternalStore`. */
  current(): ResponseState {
    return states.get(openTab) ?? idle;
  },

  /** The view of the response of the open tab; for `useSyncExternalStore`. */
  view(): PaneView {
    return views.get(openTab) ?? firstPaneView;
  },

  /** Changes parts of the view of the open tab. They fit its response. */
  changeView(change: PaneView): void {
    views.set(openTab, { ...responseStore.view(), ...change });
    notify();
  },

  /** Shows the view of a link in a tab, as far as it fits its response. */
  showView(tab: string, view: PaneView): void {
    linkCount++;
    views.set(tab, view);
    fitView(tab);
    notify();
  },

  /** The number of the views of links so far; for `useSyncExternalStore`. */
  linkCount(): number {
    return linkCount;
  },

  /** The id of the open tab. */
  openTab(): string {
    return openTab;
  },

  /** Makes another tab the open one. A page without tabs has one, whose id is empty. */
  setOpenTab(tab: string): void {
    if (tab === openTab) return;
    openTab = tab;
    notify();
  },

  /** Sets the response of a tab, and forgets its previous one. */
  set(tab: string, state: ResponseState): void {
    release(states.get(tab));
    // The newest is the last.
    states.delete(tab);
    states.set(tab, state);
    if (state.kind === 'done') forgetOthers(state.summary.bytes);
    fitView(tab);
    notify();
  },
};

/** Drops what of the view of a tab does not fit its response. */
function fitView(tab: string): void {
  const [state, view] = [states.get(tab), views.get(tab)];
  if (state?.kind === 'done' && view !== undefined) views.set(tab, fittingView(view, state.summary.datasets));
}

function forgetOthers(newestBytes: number): void {
  let bytes = newestBytes;
  for (const [tab, state] of [...states].reverse().slice(1)) {
    if (state.kind !== 'done') continue;
    bytes += state.summary.bytes;
    if (bytes <= MAX_KEPT_BYTES) continue;
    release(state);
    states.set(tab, idle);
  }
}

function release(state: ResponseState | undefined): void {
  if (state?.kind === 'done') void queryResponse(state.summary.responseId, 'release');
}

function notify(): void {
  for (const listener of listeners) listener();
}
