import type { Session } from '../session.ts';

/** What mends errors. */
export interface Recovery {
  readonly session: Session;
  /** Reads all of the page again, with the same view. */
  readonly runAgain: () => void;
}
