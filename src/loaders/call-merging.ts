/**
 * Whether results calls may be merged: whether one call may serve several requests of one operation. On from the start.
 * Off for good as soon as the service responds to a merged call with assets that the call did not ask for. Holds no data
 * of any client.
 */
export class CallMerging {
  #isOn = true;
  readonly #warn: () => void;

  /** @param warn is called once, when merging goes off */
  constructor(warn: () => void) {
    this.#warn = warn;
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  turnOff(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#warn();
  }
}
