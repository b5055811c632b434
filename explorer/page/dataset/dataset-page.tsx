import './dataset.css';
import '../response/response.css';
import { type MouseEvent, type ReactNode, useEffect, useMemo, useState } from 'react';
import type { Access } from '../post.ts';
import { rememberDataset } from '../recent.ts';
import { ErrorList, Failure } from '../response/error-list.tsx';
import type { Session } from '../session.ts';
import type { Settings } from '../settings.ts';
import { DatasetView } from './dataset-view.tsx';
import { TokenForm } from './token-form.tsx';
import { type DatasetState, useDataset } from './use-dataset.ts';

interface DatasetPageProps {
  readonly settings: Settings;
  readonly session: Session;
  readonly datasetId: string;
}

/** The page of a dataset: what it is, its charts, what chooses them, and its statistics. */
export function DatasetPage({ settings, session, datasetId }: DatasetPageProps) {
  const token = session.token.trim();
  const access = useMemo((): Access => ({ endpoint: settings.endpoint, token }), [settings, token]);
  const [firstToken] = useState(token);
  return (
    <div className="dataset-page">
      {/* biome-ignore lint/a11y/useValidAnchor: it leads within the page, whose fragment is the view */}
      <a className="dataset-skip" href="#chart" onClick={toChart}>
        Go to the chart
      </a>
      {token === '' ? (
        <Unread session={session} datasetId={datasetId}>
          <p className="dataset-empty">
            {session.signIn === undefined
              ? 'A bearer token is missing: put it into the field above to see this dataset.'
              : 'Sign in above, or put a bearer token into the field, to see this dataset.'}
          </p>
        </Unread>
      ) : (
        <KnownDataset {...{ settings, session, datasetId, access }} isNewToken={token !== firstToken} />
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

interface KnownDatasetProps extends DatasetPageProps {
  readonly access: Access;
  /** Whether the user has given the token on this page. */
  readonly isNewToken: boolean;
}

function KnownDataset({ settings, session, datasetId, access, isNewToken }: KnownDatasetProps) {
  const state = useDataset(access, settings.operations.outline, datasetId);
  useEffect(() => {
    // The field or the button that had the focus is gone.
    if (isNewToken && state.kind !== 'loading') document.getElementById('chart')?.focus();
  }, [isNewToken, state.kind]);
  const name = state.kind === 'ready' ? state.outline.name : datasetId;
  useEffect(() => {
    document.title = `${name} – dataset-subgraph`;
  }, [name]);
  useEffect(() => {
    const isNew = settings.datasets.every(({ id }) => id !== datasetId);
    if (state.kind === 'ready' && isNew) rememberDataset({ id: datasetId, name: state.outline.name });
  }, [state, settings, datasetId]);
  if (state.kind === 'ready')
    return <DatasetView {...{ settings, session, datasetId, access }} outline={state.outline} />;
  return (
    <Unread session={session} datasetId={datasetId}>
      <Progress state={state} />
    </Unread>
  );
}

function Progress({ state }: { state: Exclude<DatasetState, { kind: 'ready' }> }) {
  if (state.kind === 'error') return <ErrorList errors={state.errors} />;
  if (state.kind === 'failed') return <Failure failure={state.failure} />;
  return (
    <p role="status" className="dataset-empty">
      Reading what the dataset holds …
    </p>
  );
}

/** The page of a dataset of which nothing is known, or not yet. */
function Unread(props: { session: Session; datasetId: string; children: ReactNode }) {
  return (
    <>
      <header className="dataset-header">
        <a href="/">dataset-subgraph</a>
        <h1>{props.datasetId}</h1>
        <TokenForm session={props.session} />
      </header>
      <main>
        <section id="chart" className="response" tabIndex={-1} aria-label="Chart">
          {props.children}
        </section>
      </main>
    </>
  );
}
