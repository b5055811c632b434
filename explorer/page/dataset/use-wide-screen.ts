import { useSyncExternalStore } from 'react';

/** Where a map has space beside the charts. The style sheet has the same width. */
const wideScreen = matchMedia('(min-width: 1240px)');

function subscribe(onChange: () => void): () => void {
  wideScreen.addEventListener('change', onChange);
  return () => wideScreen.removeEventListener('change', onChange);
}

/** Whether the screen is wide enough for a map beside the charts. */
export function useWideScreen(): boolean {
  return useSyncExternalStore(subscribe, () => wideScreen.matches);
}
