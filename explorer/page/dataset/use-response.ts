import { useEffect, useMemo, useState } from 'react';
import type { Access } from '../post.ts';
import { type ResponseEnd, type RunningResponse, sendOperation } from '../response/response-client.ts';
import type { Received } from '../response/response-progress.tsx';
import type { Overlay, ResponseFailure, ResponseSummary } from '../response/worker/protocol.ts';
import type { TabText } from '../tab-text.ts';
import { bodyOf } from './operation.ts';

/** The response to the operations of a view. */
export interface ViewResponse {
  /** What the operations so far have found; undefined before the first one ends. */
  readonly summary: ResponseSummary | undefined;
  /** Why nothing, or nothing more, was found. */
  readonly failure: ResponseFailure | undefined;
  /** What has come of a response that is under way; undefined if none is. */
  readonly running: Received | undefined;
  /** Identifies the operations whose response it is. */
  readonly key: string;
  /** Whether it is the response to the operations before, because the new ones have none yet. */
  readonly isStale: boolean;
}

/** The number of times that a page has read everything. */
let runs = 0;

/**
 * Sends the operations of a view, and the next ones whenever they, the overlay or the access change. They read the parts of a time,
 * one after another, until one has an error: each response has the values of those before, too. The worker keeps it until it is
 * released.
 *
 * @param preview what is read before them, and shown until all of them have ended
 */
export function useResponse(
  access: Access,
  operations: readonly TabText[],
  overlay: Overlay | undefined,
  preview: TabText | undefined,
): ViewResponse {
  const [response, setResponse] = useState<Omit<ViewResponse, 'isStale'>>({ ...nothing, running: start() });
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new access makes the page read everything again
  const run = useMemo(() => ++runs, [access]);
  // Equal operations are not sent again.
  const all = preview === undefined ? operations : [preview, ...operations];
  const key = JSON.stringify([run, all.map(bodyOf), overlay]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key stands for what is sent
  useEffect(() => {
    const bodies = all.map(bodyOf);
    const sent: RunningResponse[] = [];
    void (async () => {
      const { began } = start();
      let summary: ResponseSummary | undefined;
      for (const body of bodies) {
        const share = bodies.length > 1 ? sent.length / bodies.length : undefined;
        const report = (bytes: number, isComplete: boolean) => {
          const running = { began, bytes: bytes + (summary?.restCalls?.bytes ?? 0), isComplete, share };
          setResponse((before) => ({ ...before, ...(summary && { summary, failure: undefined, key }), running }));
        };
        report(0, false);
        const isPreview = preview !== undefined && sent.length === 0;
        const isLast = sent.length === bodies.length - 1;
        const part = bodies.length > 1 ? { after: sent.at(-1)?.responseId, isPreview, isLast } : undefined;
        const running = sendOperation({ ...access, body, overlay, part }, report);
        sent.push(running);
        const end = await running.ended;
        // The others need no preview.
        if (isPreview && !hasValues(end)) continue;
        if (end.kind === 'failed') return setResponse({ ...nothing, summary, failure: end.failure, key });
        summary = end.summary;
        if (summary.errors.length > 0) break;
      }
      setResponse({ ...nothing, summary, key });
    })();
    return () => {
      for (const each of sent) each.abort();
    };
  }, [key]);
  const hasEnded = response.summary !== undefined || response.failure !== undefined;
  return { ...response, isStale: hasEnded && response.key !== key };
}

function hasValues(end: ResponseEnd): boolean {
  return end.kind === 'done' && end.summary.errors.length === 0 && end.summary.absence === undefined;
}

const nothing = { summary: undefined, failure: undefined, running: undefined, key: '' };

function start(): Received {
  return { bytes: 0, began: performance.now(), isComplete: false };
}
