import { DateOrder } from './date-order.ts';
import { Growing, newIntegers } from './growing.ts';
import { Heap } from './heap.ts';
import { Loops } from './loops.ts';
import type { Memory } from './memory.ts';
import { type Numbers, Picture } from './picture.ts';
import type { RowBatch } from './row-batch.ts';
import { TimeGroups } from './time-groups.ts';

/**
 * Orders the rows of a series by date, and chooses so many of them that a chart of the metrics stays the same (M4: Jugel et al., "M4: A
 * Visualization-Oriented Time Series Data Aggregation", 2014). `columns(points:)` in schema.graphql says which.
 */
export class Reduction {
  readonly #points: number;
  readonly #order: DateOrder;
  /** 1 at each position that is chosen. */
  readonly #isChosen: Growing<Uint8Array>;
  /** The chosen positions. */
  readonly #chosen: Growing<Int32Array>;
  readonly #sorting: Loops;
  readonly #choosing: Loops;
  #metrics: readonly Numbers[] = [];
  /** How many more may be chosen. */
  #left = 0;
  /** The parts of the other rows of which the middle was chosen, and the next middle; and how many others come before it. */
  #parts = 0;
  #middle = 0;
  #others = 0;

  /** @param points how many rows are chosen, if there are as many */
  constructor(points: number, memory: Memory) {
    this.#points = points;
    this.#order = new DateOrder(memory);
    this.#isChosen = new Growing(memory, (length) => new Uint8Array(length));
    this.#chosen = new Growing(memory, newIntegers);
    this.#sorting = new Loops(this.#order.loops);
    const groups = new TimeGroups(this.#order, memory);
    const picture = new Picture(this.#order, groups, memory);
    const { positions, gapStarts, gapTimes } = picture;
    const gaps = new Heap(memory, (one, other) => {
      const difference = (gapTimes.list[one] as number) - (gapTimes.list[other] as number);
      return (
        difference > 0 || (difference === 0 && (gapStarts.list[one] as number) < (gapStarts.list[other] as number))
      );
    });
    this.#choosing = new Loops([
      [() => groups.begin(2 + 2 * this.#metrics.length, points), () => groups.addNext()],
      [() => Number.POSITIVE_INFINITY, () => groups.split()],
      [() => picture.begin(this.#metrics), (index) => picture.add(index)],
      [() => this.#begin(positions.length), (at) => this.#choose(positions.list[at] as number)],
      [() => gaps.begin(this.#left > 0 ? gapTimes.length : 0), (gap) => gaps.add(gap)],
      [() => gaps.length, () => this.#choose(gapStarts.list[gaps.take()] as number)],
      [() => this.#beginOthers(), (position) => this.#chooseOther(position)],
    ]);
  }

  begin(): void {
    this.#order.begin();
    this.#sorting.begin();
    this.#choosing.begin();
  }

  add(rows: RowBatch): void {
    this.#order.add(rows);
  }

  /** All rows were added: does a part of the work. Returns whether more is left. */
  choose(metrics: readonly Numbers[]): boolean {
    this.#metrics = metrics;
    return this.#sorting.run() || (!this.#isAll && this.#choosing.run());
  }

  /** The number of chosen rows. */
  get count(): number {
    return Math.min(this.#points, this.#order.count);
  }

  get #isAll(): boolean {
    return this.#points >= this.#order.count;
  }

  /** The row at a place among the chosen ones, which are in the order of their dates. */
  rowAt(place: number): number {
    return this.#order.rowAt(this.#isAll ? place : (this.#chosen.list[place] as number));
  }

  #begin(positions: number): number {
    const { count } = this.#order;
    this.#isChosen.resize(count).fill(0, 0, count);
    this.#left = this.#points;
    return positions;
  }

  /** Chooses a position, unless it is -1. Returns whether more may be chosen. */
  #choose(position: number): boolean {
    const isChosen = this.#isChosen.list;
    if (position >= 0 && isChosen[position] === 0) {
      isChosen[position] = 1;
      this.#left -= 1;
    }
    return this.#left > 0;
  }

  #beginOthers(): number {
    this.#chosen.begin(this.#points);
    this.#parts = 0;
    this.#others = 0;
    this.#findMiddle();
    return this.#order.count;
  }

  /** The other rows are cut into as many equal parts as there are points left. The middle one of each is chosen. */
  #findMiddle(): void {
    const others = this.#order.count - this.#points + this.#left;
    this.#middle =
      this.#parts < this.#left ? Math.floor(((2 * this.#parts + 1) * others) / (2 * this.#left)) : Number.NaN;
  }

  #chooseOther(position: number): void {
    if (this.#isChosen.list[position] === 0) {
      this.#others += 1;
      if (this.#others - 1 !== this.#middle) return;
      this.#parts += 1;
      this.#findMiddle();
    }
    this.#chosen.add(position);
  }
}
