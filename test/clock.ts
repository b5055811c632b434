import { onTestFinished, vi } from 'vitest';

/**
 * Stops `performance.now` for the whole process, and so for the subgraph, until the end of the test. Timers go on. Call it
 * after `start`, so that the subgraph stops by the real clock.
 */
export function stopClock(): { advance(milliseconds: number): void } {
  let now = Math.ceil(performance.now());
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  return {
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** Stops `setTimeout` for the whole process until the end of the test: what waits for a timer waits for ever. */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}
