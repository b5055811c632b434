import { lazy, Suspense } from 'react';
import { datasetIdOf } from './dataset-path.ts';
import { useSession } from './session.ts';
import type { Settings } from './settings.ts';
import { Start } from './start.tsx';

// No page waits for what only another one needs.
const GraphiqlPage = lazy(() => import('./page.tsx').then(({ Page }) => ({ default: Page })));
const DatasetPage = lazy(() =>
  import('./dataset/dataset-page.tsx').then(({ DatasetPage }) => ({ default: DatasetPage })),
);

/** The start page at `/`, the page of a dataset at `/datasets/ID`, or GraphiQL. */
export function App({ settings }: { settings: Settings }) {
  const session = useSession(settings);
  if (location.pathname === '/') return <Start session={session} />;
  const datasetId = datasetIdOf(location.pathname);
  return (
    <Suspense fallback={<p role="status">Loading …</p>}>
      {datasetId === undefined ? (
        <GraphiqlPage settings={settings} session={session} />
      ) : (
        <DatasetPage settings={settings} session={session} datasetId={datasetId} />
      )}
    </Suspense>
  );
}
