/**
 * Whether results calls may be shared between the filters of one operation. On from the start; off for good as soon
 * as the service is seen to answer a shared call with assets that were not asked for. Knows nothing of any caller.
 */
export class CallMerging {
  #on = true;
  readonly #warn: () => void;

  /** @param warn is called once, when sharing goes off */
  constructor(warn: () => void) {
    this.#warn = warn;
  }

  get on(): boolean {
    return this.#on;
  }

  turnOff(): void {
    if (!this.#on) return;
    this.#on = false;
    this.#warn();
  }
}
