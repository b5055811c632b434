import './response.css';
import { pick, useGraphiQL } from '@graphiql/react';
import { useLayoutEffect, useSyncExternalStore } from 'react';
import type { Access } from '../post.ts';
import { ErrorList, Failure } from './error-list.tsx';
import { ResponseProgress } from './response-progress.tsx';
import { responseStore } from './response-store.ts';
import { ResponseView } from './response-view.tsx';

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
      {state.kind === 'running' && <ResponseProgress received={state} />}
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
