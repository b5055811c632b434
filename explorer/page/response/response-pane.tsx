import './response.css';
import { pick, useGraphiQL } from '@graphiql/react';
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { sizeText } from '../../../src/core/size-text.ts';
import type { Access } from '../post.ts';
import { ErrorList, Failure } from './error-list.tsx';
import { type ResponseState, responseStore } from './response-store.ts';
import { ResponseView } from './response-view.tsx';
import { timeText } from './time-text.ts';

/** Shows the response of the open tab: how far it is, why there is none, or its charts, table, map and text. */
export function ResponsePane({ access }: { access: () => Access }) {
  const { tabs, activeTabIndex } = useGraphiQL(pick('tabs', 'activeTabIndex'));
  const { id: tab = '', response } = tabs[activeTabIndex] ?? {};
  // Before the next operation can start.
  useLayoutEffect(() => {
    responseStore.setOpenTab(tab);
    const detail = unsentReason(response);
    if (detail !== undefined) responseStore.set(tab, { kind: 'failed', failure: { kind: 'notSent', detail } });
  }, [tab, response]);
  const state = useSyncExternalStore(responseStore.subscribe, responseStore.current);
  const view = useSyncExternalStore(responseStore.subscribe, responseStore.view);
  const linkCount = useSyncExternalStore(responseStore.subscribe, responseStore.linkCount);
  return (
    <section className="response" aria-label="Response" data-state={state.kind} aria-busy={state.kind === 'running'}>
      {state.kind === 'idle' && <p className="response-hint">Run the query to see its response here.</p>}
      {state.kind === 'stopped' && (
        <p className="response-hint" role="status">
          Stopped: what had come of the response was discarded. Run the query again to see it.
        </p>
      )}
      {state.kind === 'refused' && <ErrorList errors={state.errors} />}
      {state.kind === 'running' && <Progress running={state} />}
      {state.kind === 'failed' && <Failure failure={state.failure} />}
      {state.kind === 'done' && (
        <ResponseView
          // The charts take their zoom from the view at first only.
          key={`${state.summary.responseId} ${linkCount}`}
          summary={state.summary}
          operation={state.operation}
          access={access}
          view={view}
          onView={responseStore.changeView}
        />
      )}
    </section>
  );
}

/**
 * Why GraphiQL has not sent the operation, such as variables that are no JSON object. It writes that into its own response
 * editor, which the page hides. The fetcher's results are empty there, and say nothing.
 */
function unsentReason(response: string | null | undefined): string | undefined {
  const { errors }: { errors?: { message: string }[] } = JSON.parse(response || '{}');
  return errors?.[0]?.message.replace(/^Request not sent\. /, '');
}

/** The milliseconds between two updates of the time. */
const TICK_MS = 200;

function Progress({ running }: { running: ResponseState & { kind: 'running' } }) {
  const { bytes, began, isComplete } = running;
  const [now, setNow] = useState(began);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const what = isComplete
    ? 'Reading the values …'
    : bytes === 0
      ? 'Waiting for the response …'
      : 'Receiving the response …';
  return (
    <div className="response-progress">
      <p role="status">{what}</p>
      <progress aria-label={what} />
      <p>
        {sizeText(bytes)}, {timeText(Math.max(0, now - began))}
      </p>
    </div>
  );
}
