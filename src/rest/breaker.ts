import {
  BrokenCircuitError,
  type CircuitBreakerPolicy,
  CircuitState,
  circuitBreaker,
  handleWhen,
  SamplingBreaker,
} from 'cockatiel';
import { ExchangeError, type HttpAnswer } from './exchange.ts';

/** Over how long calls are counted, in milliseconds, from how many a second on, and which share of them has to fail. */
const COUNTED_MS = 10_000;
const LEAST_CALLS_A_SECOND = 2;
const FAILING_SHARE = 0.5;

/** How a breaker works, and who is told when it opens and closes. */
export interface BreakerOptions {
  /** Milliseconds without calls, after which one is let through to try; 0: the breaker never opens. */
  readonly openMs: number;
  readonly onChange: (isOpen: boolean) => void;
}

/**
 * Keeps calls from a service that is down: it opens when more than half of the calls of the last ten seconds, 20 at
 * least, have failed. Then it lets a single call through from time to time, and closes when that is answered. A failure
 * is what another caller would meet too: no connection, a broken one, no head in time, or 502, 503 or 504. Any other
 * status is an answer, 429 included. A call that its caller has ended counts as neither.
 */
export class Breaker {
  readonly #policy: CircuitBreakerPolicy | undefined;

  constructor({ openMs, onChange }: BreakerOptions) {
    if (openMs === 0) return;
    const isProbe = () => this.#policy?.state === CircuitState.HalfOpen;
    const handled = handleWhen(
      // The only call let through has told nothing when its caller ends it: it must not close the breaker.
      (error) => error instanceof ExchangeError && (error.isGivenUp ? isProbe() : isOutage(error)),
    ).orWhenResult((answer) => statusesOfOutage.has((answer as HttpAnswer).status));
    this.#policy = circuitBreaker(handled, {
      halfOpenAfter: openMs,
      breaker: new SamplingBreaker({
        threshold: FAILING_SHARE,
        duration: COUNTED_MS,
        minimumRps: LEAST_CALLS_A_SECOND,
      }),
    });
    let wasOpen = false;
    this.#policy.onStateChange((state) => {
      const isOpen = state !== CircuitState.Closed;
      if (isOpen !== wasOpen) onChange(isOpen);
      wasOpen = isOpen;
    });
  }

  /** Whether calls go through, all of them. */
  get isClosed(): boolean {
    return this.#policy === undefined || this.#policy.state === CircuitState.Closed;
  }

  /**
   * Lets a call through, and notes how it ends.
   *
   * @param send makes the call; it is called at once or not at all
   * @param refused is called in its place where the breaker is open
   */
  pass(send: () => Promise<HttpAnswer>, refused: () => void): void {
    if (this.#policy === undefined) {
      send();
    } else if (this.#policy.state === CircuitState.HalfOpen) {
      // The library would have it wait for the end of the call that tries.
      refused();
    } else {
      this.#policy.execute(send).catch((error) => {
        // How a call that was made has failed, its caller knows.
        if (error instanceof BrokenCircuitError) refused();
      });
    }
  }
}

/** The statuses with which a service, or what stands before it, says that it is down. */
export const statusesOfOutage: ReadonlySet<number> = new Set([502, 503, 504]);

function isOutage({ failure }: ExchangeError): boolean {
  return failure === 'unavailable' || failure === 'timeout';
}
