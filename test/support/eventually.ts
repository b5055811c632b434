import { vi } from 'vitest';

/**
 * Waits until a check passes, and looks each so many ms: so long that no other work of the machine fails it (somewhat less than
 * a test may take), and no longer than it takes.
 */
export function eventually<T>(check: () => T, { interval = 10 } = {}) {
  return vi.waitFor(check, { timeout: 50_000, interval });
}
