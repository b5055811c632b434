import './answer.css';
import { pick, useGraphiQL } from '@graphiql/react';
import { useEffect, useLayoutEffect, useState, useSyncExternalStore } from 'react';
import { sizeText } from '../../../src/core/size-text.ts';
import { type AnswerState, answerStore } from './answer-store.ts';
import { AnswerView } from './answer-view.tsx';
import { Failure } from './error-list.tsx';
import { timeText } from './time-text.ts';

/** Shows the answer of the open tab: how far it is, why there is none, or its charts, table, map and text. */
export function AnswerPane() {
  const { tabs, activeTabIndex } = useGraphiQL(pick('tabs', 'activeTabIndex'));
  const { id: tab = '', response } = tabs[activeTabIndex] ?? {};
  // Before the next operation can start.
  useLayoutEffect(() => {
    answerStore.setOpenTab(tab);
    const detail = unsentReason(response);
    if (detail !== undefined) answerStore.set(tab, { kind: 'failed', failure: { kind: 'notSent', detail } });
  }, [tab, response]);
  const state = useSyncExternalStore(answerStore.subscribe, answerStore.current);
  return (
    <section className="answer" aria-label="Answer" data-state={state.kind} aria-busy={state.kind === 'running'}>
      {state.kind === 'idle' && <p className="answer-hint">Run the query to see its answer here.</p>}
      {state.kind === 'running' && <Progress running={state} />}
      {state.kind === 'failed' && <Failure failure={state.failure} />}
      {state.kind === 'done' && <AnswerView key={state.summary.answer} summary={state.summary} />}
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

function Progress({ running }: { running: AnswerState & { kind: 'running' } }) {
  const { bytes, began, isComplete } = running;
  const [now, setNow] = useState(began);
  useEffect(() => {
    const timer = setInterval(() => setNow(performance.now()), TICK_MS);
    return () => clearInterval(timer);
  }, []);
  const what = isComplete
    ? 'Reading the values …'
    : bytes === 0
      ? 'Waiting for the answer …'
      : 'Receiving the answer …';
  return (
    <div className="answer-progress">
      <p role="status">{what}</p>
      <progress aria-label={what} />
      <p>
        {sizeText(bytes)}, {timeText(Math.max(0, now - began))}
      </p>
    </div>
  );
}
