/** How often something is done, and what is done at each time. If it returns false, the loop has ended. */
export type Loop = readonly [times: () => number, step: (at: number) => unknown];

/** So many steps take about a millisecond, if most of what they need is not near. */
const STEPS_AT_ONCE = 1024;

/** Loops that run one after another, part by part. */
export class Loops {
  readonly #loops: readonly Loop[];
  #loop = 0;
  /** The next step of the loop. -1 if it has not begun. */
  #at = -1;
  #times = 0;

  constructor(loops: readonly Loop[]) {
    this.#loops = loops;
  }

  begin(): void {
    this.#loop = 0;
    this.#at = -1;
  }

  /** Runs a part of them. Returns whether more is left. */
  run(): boolean {
    for (let left = STEPS_AT_ONCE; this.#loop < this.#loops.length; ) {
      const [times, step] = this.#loops[this.#loop] as Loop;
      if (this.#at < 0) this.#times = times();
      for (this.#at = Math.max(0, this.#at); this.#at < this.#times; this.#at += 1, left -= 1) {
        if (left === 0) return true;
        if (step(this.#at) === false) break;
      }
      this.#loop += 1;
      this.#at = -1;
    }
    return false;
  }
}
