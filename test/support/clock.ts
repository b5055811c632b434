import { onTestFinished, vi } from 'vitest';

/**
 * Stops `performance.now` and `Date.now` for the whole process, and so for the subgraph, until the end of the test. Timers go
 * on. Call it after `start`, so that the subgraph stops by the real clock.
 */
export function stopClock(): { advance(milliseconds: number): void } {
  let now = Math.ceil(performance.now());
  const dateAtZero = Date.now() - now;
  const clocks = [
    vi.spyOn(performance, 'now').mockImplementation(() => now),
    vi.spyOn(Date, 'now').mockImplementation(() => dateAtZero + now),
  ];
  onTestFinished(() => {
    for (const clock of clocks) clock.mockRestore();
  });
  return {
    advance: (milliseconds) => {
      now += milliseconds;
    },
  };
}

/** Stops `setTimeout` for the whole process until the end of the test: what waits for a timer waits for ever. */
export function stopTimers(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}
