import type { Session } from '../session.ts';

/** What mends errors. */
export interface Recovery {
  readonly session: Session;
  /** Reads all of the page again, with the same view. */
  readonly runAgain: () => void;
  /** Whether another part of the page has the sign-in: it reads with the same token. */
  readonly isElsewhere?: boolean;
}
