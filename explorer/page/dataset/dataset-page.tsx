import './dataset.css';
import '../response/response.css';
import { type MouseEvent, useEffect, useMemo, useState } from 'react';
import type { Facts } from '../outline.ts';
import type { Access } from '../post.ts';
import { rememberDataset } from '../recent.ts';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { ReadFailure } from './dataset-errors.tsx';
import { DatasetHeader } from './dataset-header.tsx';
import { DatasetView } from './dataset-view.tsx';
import type { Recovery } from './recovery.ts';
import { SignInPanel } from './sign-in-panel.tsx';
import { type DatasetState, useDataset } from './use-dataset.ts';

interface DatasetPageProps {
  readonly settings: Settings;
  readonly session: Session;
  readonly datasetId: string;
}

/** The page of a dataset: what it is, its charts, what chooses them, and its statistics. */
export function DatasetPage({ settings, session, datasetId }: DatasetPageProps) {
  const { endpoint, operations, datasets } = settings;
  const { token } = session;
  const [runs, setRuns] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new access makes the page read everything again
  const access = useMemo((): Access => ({ endpoint, token }), [endpoint, token, runs]);
  const recovery: Recovery = { session, runAgain: () => setRuns((count) => count + 1) };
  const [state, onShown] = useDataset(access, operations, datasetId);
  useFocus(access, state);
  const name = factsOf(state)?.name ?? datasetId;
  useEffect(() => {
    document.title = `${name} – dataset-subgraph`;
  }, [name]);
  useEffect(() => {
    const isNew = datasets.every(({ id }) => id !== datasetId);
    if (state.kind === 'ready' && isNew) rememberDataset({ id: datasetId, name });
  }, [state.kind, datasets, datasetId, name]);
  return (
    <div className="dataset-page">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads within the page, whose fragment is the view */}
      <a className="dataset-skip" href="#chart" onClick={toChart}>
        Go to the chart
      </a>
      {state.kind === 'ready' ? (
        <DatasetView {...{ settings, datasetId, access, recovery, onShown, ...state }} />
      ) : (
        <Unread {...{ datasetId, recovery, state }} />
      )}
    </div>
  );
}

/** Moves the focus to the chart, or to what the open tab has in its place. The fragment of the URL stays that of the view. */
function toChart(event: MouseEvent): void {
  event.preventDefault();
  const place = document.getElementById('chart');
  (place?.querySelector<HTMLElement>('.response-chart, .response-map, .response-scroller') ?? place)?.focus();
}

/** Moves the focus to the chart when everything is read again, and the form or the button that asked for it is gone. */
function useFocus(access: Access, { kind }: DatasetState): void {
  const [first] = useState(access);
  useEffect(() => {
    if (access === first || kind === 'loading') return;
    const [chart, { activeElement }] = [document.getElementById('chart'), document];
    if (activeElement === document.body || chart?.contains(activeElement)) chart?.focus();
  }, [access, first, kind]);
}

/** What the metadata say, as soon as they are there. */
function factsOf(state: DatasetState): Facts | undefined {
  return state.kind === 'ready' ? state.outline : state.kind === 'loading' ? state.facts : undefined;
}

interface UnreadProps {
  readonly datasetId: string;
  readonly recovery: Recovery;
  readonly state: Exclude<DatasetState, { kind: 'ready' }>;
}

/** The page of a dataset of which nothing is known, or its metadata alone. */
function Unread({ datasetId, recovery, state }: UnreadProps) {
  const facts = factsOf(state);
  return (
    <>
      <DatasetHeader {...{ datasetId, facts, recovery }} />
      <main>
        <section id="chart" className="response" tabIndex={-1} aria-label="Chart">
          {state.kind === 'noToken' && <SignInPanel recovery={recovery} />}
          {state.kind === 'loading' && (
            <p role="status" className="dataset-empty">
              Reading what the dataset holds …
            </p>
          )}
          {state.kind === 'failed' && <ReadFailure error={state.error} recovery={recovery} />}
        </section>
      </main>
    </>
  );
}
