import { useEffect, useMemo, useState } from 'react';
import { fragmentOfView, readView, type View } from './view.ts';

/** The view in the fragment of the page's URL, and what changes it. Each change is a step of the browser's history. */
export function useView(): [View, (view: View) => void] {
  const [fragment, setFragment] = useState(location.hash);
  useEffect(() => {
    const onPopState = () => setFragment(location.hash);
    window.addEventListener('popstate', onPopState);
    return () => window.removeEventListener('popstate', onPopState);
  }, []);
  const view = useMemo(() => readView(fragment), [fragment]);
  const setView = (next: View) => {
    const changed = fragmentOfView(next);
    history.pushState(null, '', `${location.pathname}${changed}`);
    setFragment(changed);
  };
  return [view, setView];
}
