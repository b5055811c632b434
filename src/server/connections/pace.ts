/** The minimum average rate of a client while data waits for it. */
const MIN_BYTES_PER_MS = 16;

/** While others wait for what slow clients hold: the minimum rate, and for how long a client may read nothing. */
const CONTENDED_BYTES_PER_MS = 1000;
const CONTENDED_MS = 2000;

/** How far a client is behind the minimum rates, while data waits for it. */
export class Pace {
  readonly #always: Deficit;
  readonly #contended = new Deficit(CONTENDED_BYTES_PER_MS, CONTENDED_MS);
  #at: number;
  #read: number;

  /**
   * @param maxPauseMs for how long it may read nothing
   * @param now milliseconds, on any clock
   * @param read bytes so far
   */
  constructor(maxPauseMs: number, now: number, read: number) {
    this.#always = new Deficit(MIN_BYTES_PER_MS, maxPauseMs);
    this.#at = now;
    this.#read = read;
  }

  /** Whether it is too far behind. */
  isTooSlow(now: number, read: number, isContended: boolean): boolean {
    const [elapsed, bytes] = [now - this.#at, read - this.#read];
    this.#at = now;
    this.#read = read;
    const isSlow = this.#always.grows(elapsed, bytes);
    const isSlowForOthers = this.#contended.grows(elapsed, bytes);
    return isSlow || (isContended && isSlowForOthers);
  }
}

/** The bytes by which a client is behind a rate: never fewer than none, so it cannot save some for a long pause. */
class Deficit {
  readonly #bytesPerMs: number;
  readonly #max: number;
  #bytes = 0;

  /** @param maxMs how many milliseconds it may be behind */
  constructor(bytesPerMs: number, maxMs: number) {
    this.#bytesPerMs = bytesPerMs;
    this.#max = bytesPerMs * maxMs;
  }

  /** Some time has passed, in which the client has read so much. Returns whether it is too far behind. */
  grows(elapsedMs: number, read: number): boolean {
    this.#bytes = Math.min(this.#max, Math.max(0, this.#bytes + elapsedMs * this.#bytesPerMs - read));
    return this.#bytes === this.#max;
  }
}
