import { type CallOwner, CallWindow, type Counts } from './call-window.ts';
import type { HttpResponse } from './exchange.ts';
import { ExchangeError } from './exchange-error.ts';

/** From how many calls on their failures mean something. */
const MIN_CALLS = 20;

/** So many failures are looked at one by one; of more it is found out so often whose they are, in milliseconds. */
const OFTEN = 100;
const LOOK_MS = 50;

/** How a breaker works, and who is told when it opens and closes. */
export interface BreakerOptions {
  /** Milliseconds without calls, after which one is let through to try; 0: the breaker never opens. */
  readonly openMs: number;
  readonly onChange: (isOpen: boolean) => void;
}

/** For whom no calls are made. */
interface Open {
  /** The one operation, or the one token, where no other has made calls; undefined: whichever. */
  readonly operation?: CallOwner['operation'] | undefined;
  readonly token?: CallOwner['token'] | undefined;
  readonly since: number;
  /** The call that was let through, until it has ended. */
  readonly trial: symbol | undefined;
}

/**
 * Keeps calls from an operation of a service that is down: it opens when more than half of the calls of the last ten
 * seconds, 20 at least, have failed. Then it lets a single call through from time to time, and closes when that is
 * answered. A failure is what another caller would meet too: no connection, a broken one, no head in time, or 502, 503
 * or 504. Any other status is an answer, 429 included. A call that its caller has ended counts as neither, nor one on a
 * connection that the service had just closed.
 *
 * What fails for one caller alone must not be refused to all: it stays closed when fewer than half of the calls fail without
 * the failures of the one GraphQL operation, or of the one token, that fails most. Where there are no others to tell, it opens for that one only.
 */
export class Breaker {
  readonly #openMs: number;
  readonly #onChange: (isOpen: boolean) => void;
  readonly #window = new CallWindow();
  #open: Open | undefined;
  #lookedAt = 0;

  constructor({ openMs, onChange }: BreakerOptions) {
    this.#openMs = openMs;
    this.#onChange = onChange;
  }

  /** Whether all calls of an owner go through. */
  isClosedFor(owner: CallOwner): boolean {
    return this.#open === undefined || !concerns(this.#open, owner);
  }

  /**
   * Lets a call through, and notes how it ends.
   *
   * @param send makes the call; it is called at once or not at all
   * @param refused is called in its place where the breaker is open
   */
  execute(owner: CallOwner, send: () => Promise<HttpResponse>, refused: () => void): void {
    if (this.#openMs === 0) {
      send();
      return;
    }
    const open = this.#open;
    let trial: symbol | undefined;
    if (open !== undefined && concerns(open, owner)) {
      if (open.trial !== undefined || performance.now() - open.since < this.#openMs) {
        refused();
        return;
      }
      trial = Symbol();
      this.#open = { ...open, trial };
    }
    send().then(
      ({ status }) => this.#note(owner, downStatuses.has(status), trial),
      (error) => this.#note(owner, hasFailed(error), trial),
    );
  }

  /** Whether it is time to look whose calls fail: not for each one of thousands. */
  #isDue(): boolean {
    const now = performance.now();
    if (this.#window.total().failed > OFTEN && now - this.#lookedAt < LOOK_MS) return false;
    this.#lookedAt = now;
    return true;
  }

  /** Notes how a call has ended; undefined: in a way that tells nothing. */
  #note(owner: CallOwner, failed: boolean | undefined, trial: symbol | undefined): void {
    if (failed !== undefined) this.#window.add(owner, failed);
    const isTrial = trial !== undefined && this.#open?.trial === trial;
    if (isTrial && failed === false) {
      this.#window.clear();
      this.#open = undefined;
      this.#onChange(false);
      return;
    }
    // A trial that tells nothing must not close it either.
    if (isTrial && this.#open !== undefined) this.#open = { ...this.#open, since: performance.now(), trial: undefined };
    if (failed === true) this.#openWhereDown();
  }

  #openWhereDown(): void {
    const total = this.#window.total();
    if (total.calls < MIN_CALLS || !isFailing(total) || !this.#isDue()) return;
    // The narrowest that all of them have in common.
    const { onlyOperation: operation, onlyToken: token } = this.#window;
    if (operation === undefined && !failsWithout(this.#window.maxFailedOfOperation(), total)) return;
    if (token === undefined && !failsWithout(this.#window.maxFailedOfToken(), total)) return;
    const before = this.#open ?? { since: performance.now(), trial: undefined };
    const wasClosed = this.#open === undefined;
    this.#open = { ...before, operation, token };
    if (wasClosed) this.#onChange(true);
  }
}

/** The statuses with which a service, or what stands before it, says that it is down. */
export const downStatuses: ReadonlySet<number> = new Set([502, 503, 504]);

function concerns(open: Open, { operation, token }: CallOwner): boolean {
  return (open.operation ?? operation) === operation && (open.token ?? token) === token;
}

function isFailing({ calls, failed }: Counts): boolean {
  return failed > calls / 2;
}

/** Whether calls fail also without those failures that are the fault of one. */
function failsWithout(failures: number, { calls, failed }: Counts): boolean {
  return failed - failures >= (calls - failures) / 2;
}

function hasFailed(error: unknown): boolean | undefined {
  if (!(error instanceof ExchangeError) || error.abortedLocally || error.isStale) return undefined;
  return error.failure === 'unavailable' || error.failure === 'timeout';
}
