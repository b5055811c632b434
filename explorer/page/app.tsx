import { lazy, type MouseEvent, Suspense, useEffect, useState } from 'react';
import type { Settings } from './settings.ts';
import { Start } from './start.tsx';

// The start page does not wait for the editors.
const loading = import('./page.tsx');
const Page = lazy(() => loading.then(({ Page }) => ({ default: Page })));

/** The start page at `/`, and GraphiQL. The token is in the memory of both. */
export function App({ settings }: { settings: Settings }) {
  const [token, setToken] = useState(settings.token);
  const [path, setPath] = useState(location.pathname);
  const [isLaunched, setLaunched] = useState(false);
  useEffect(() => {
    const onPopState = () => {
      setLaunched(false);
      setPath(location.pathname);
    };
    window.addEventListener('popstate', onPopState);
    return () => window.removeEventListener('popstate', onPopState);
  }, []);
  const onOpen = (datasetId: string) => {
    history.pushState(null, '', `/graphiql#dataset=${encodeURIComponent(datasetId)}`);
    setLaunched(true);
    setPath(location.pathname);
  };
  const onStart = (event: MouseEvent) => {
    // A server that knows datasets sends a start page of its own. With a key, browsers open another window.
    if (settings.datasets.length > 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    history.pushState(null, '', '/');
    setPath('/');
  };
  if (path === '/') return <Start token={token} onToken={setToken} onOpen={onOpen} />;
  return (
    <Suspense fallback={<p role="status">Loading GraphiQL …</p>}>
      <Page settings={settings} token={token} onToken={setToken} isLaunched={isLaunched} onStart={onStart} />
    </Suspense>
  );
}
