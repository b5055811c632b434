import { useEffect, useMemo, useState } from 'react';
import { fragmentOfView, readView, type View } from './view.ts';

/** Whether a change of the view is a step of the browser's history, or replaces the last one. */
export type ViewStep = 'push' | 'replace';

/** The view in the fragment of the page's URL, and what changes it. */
export function useView(): [View, (view: View, step?: ViewStep) => void] {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const onPopState = () => setFragment(location.hash);
    window.addEventListener('popstate', onPopState);
    return () => window.removeEventListener('popstate', onPopState);
  }, []);
  const view = useMemo(() => readView(fragment), [fragment]);
  const setView = (next: View, step: ViewStep = 'push') => {
    const changed = fragmentOfView(next);
    const url = `${location.pathname}${changed}`;
    if (step === 'push') history.pushState(null, '', url);
    else history.replaceState(null, '', url);
    setFragment(changed);
  };
  return [view, setView];
}
