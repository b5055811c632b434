import { useEffect, useState } from 'react';
import { sizeText } from '../../../src/core/size-text.ts';
import { timeText } from './time-text.ts';

/** What has come of a response. */
export interface Received {
  /** The bytes so far. */
  readonly bytes: number;
  /** When the operation was sent, as `performance.now()`. */
  readonly began: number;
  /** Whether all bytes are there, and are being parsed. */
  readonly isComplete: boolean;
  /** How much of all is there, from 0 to 1; undefined if that is unknown. */
  readonly share?: number | undefined;
}

/** The milliseconds between two updates of the time. */
const TICK_MS = 200;

/** How much of a response has come, and for how long it has been waited for. */
export function ResponseProgress({ received: { bytes, began, isComplete, share } }: { received: Received }) {
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
      <progress aria-label={what} value={share} />
      <p>
        {sizeText(bytes)}, {timeText(Math.max(0, now - began))}
      </p>
    </div>
  );
}
