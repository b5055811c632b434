/** A place that is taken, or waited for. */
export interface Place {
  /** Gives the place up, or stops waiting for it. To be called once. */
  leave(): void;
}

/**
 * A number of places, and a queue of a bounded length before them: who comes first is served first. It is this queue
 * and not the connection pool's own, because from that one nothing can be taken out again, and it has no bound.
 */
export class Places {
  readonly #most: number;
  readonly #mostWaiting: number;
  /** In the order of their coming, each with what it waits to start. */
  readonly #waiting = new Map<Place, () => void>();
  #taken = 0;

  constructor(most: number, mostWaiting: number) {
    this.#most = most;
    this.#mostWaiting = mostWaiting;
  }

  /** Whether whoever comes now has to wait. */
  get areTaken(): boolean {
    return this.#taken >= this.#most;
  }

  /**
   * Takes a place, or waits for one.
   *
   * @param start is called when there is a place: at once, or later
   * @returns undefined when as many wait already as may
   */
  take(start: () => void): Place | undefined {
    const place = { leave: () => this.#leave(place) };
    if (this.#taken < this.#most) {
      this.#taken += 1;
      start();
    } else if (this.#waiting.size < this.#mostWaiting) {
      this.#waiting.set(place, start);
    } else {
      return undefined;
    }
    return place;
  }

  #leave(place: Place): void {
    if (this.#waiting.delete(place)) return;
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#taken -= 1;
    } else {
      const [first, start] = next;
      this.#waiting.delete(first);
      start();
    }
  }
}
