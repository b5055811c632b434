import { useEffect, useState } from 'react';
import type { Access } from '../post.ts';
import { type ResponseEnd, sendOperation } from '../response/response-client.ts';
import type { Overlay } from '../response/worker/protocol.ts';
import type { TabText } from '../tab-text.ts';
import { bodyOf } from './operation.ts';

/** The response to the operation of a view. */
export interface ViewResponse {
  /** How the last request ended; undefined before the first one ends. */
  readonly end: ResponseEnd | undefined;
  /** Whether a newer request is under way. */
  readonly isRunning: boolean;
}

/** Sends the operation of a view, and the next one whenever it, the overlay or the access changes. The worker keeps the response until it is released. */
export function useResponse(access: Access, { query, variables }: TabText, overlay: Overlay | undefined): ViewResponse {
  const [response, setResponse] = useState<ViewResponse>({ end: undefined, isRunning: true });
  useEffect(() => {
    setResponse(({ end }) => ({ end, isRunning: true }));
    const body = bodyOf({ query, variables });
    const sent = sendOperation({ ...access, body, overlay }, () => {});
    void sent.ended.then((end) => setResponse({ end, isRunning: false }));
    return () => sent.abort();
  }, [access, query, variables, overlay]);
  return response;
}
