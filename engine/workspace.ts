import { Attributes } from './attributes.ts';
import { Input } from './input.ts';
import type { Limits } from './limits.ts';
import { type IdlePieces, Memory } from './memory.ts';
import { RowReader } from './row-batch.ts';
import { nothing, Scanner } from './scanner.ts';

/** The most bytes of input whose memory is kept. */
const MAX_INPUT = 1 << 18;

/**
 * What readers work with, one after another: memory that is used again, and what rows have in common. To make it costs more than to read a
 * small body. Readers of different callers may have it one after another, if it is cleared between them.
 */
export class Workspace {
  readonly memory: Memory;
  readonly input: Input = new Input();
  readonly scanner: Scanner = new Scanner();
  /** The attributes of the entry that is read. */
  readonly attributes: Attributes;
  readonly rows: RowReader;
  #isInUse = false;

  /** @param idle where pieces of 256 KiB wait, for what is written, until any reader needs them. Absent: each workspace has its own */
  constructor(idle?: IdlePieces) {
    this.memory = new Memory(idle);
    this.attributes = new Attributes(this.memory);
    this.rows = new RowReader(this.memory);
  }

  /** A reader begins. @throws Error if another one has not been closed */
  begin(limits: Limits): void {
    if (this.#isInUse) throw new Error('Another reader of this workspace is not closed.');
    this.#isInUse = true;
    const { input, rows, attributes } = this;
    this.memory.begin(limits, input.buffer.length + rows.capacity + attributes.capacity);
    rows.begin();
  }

  /** It has ended. What it has read is not there for the next one, and its memory need not stay. */
  end(): void {
    this.input.clear();
    this.scanner.read(nothing, 0);
    this.#isInUse = false;
  }

  /** Forgets all that it knows of bodies, and keeps memory of usual size. Returns false if a reader was not closed. */
  clear(): boolean {
    this.rows.clear();
    this.attributes.release();
    this.input.release(MAX_INPUT);
    return !this.#isInUse;
  }
}
