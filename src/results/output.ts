import type { PathError, Workspace } from '../../engine/index.ts';
import { acquireWorkspace, releaseWorkspace } from '../core/buffer-pool.ts';

/** Reserves memory. Waits for the promise, if it returns one. */
export type Reserve = (bytes: number) => Promise<void> | undefined;

/** Chunks of a response, or something that has to be waited for. A chunk that is copied (written.ts) is there until the next step. */
export type Written = readonly Buffer[] | Promise<void>;

/** Collects the errors of values that become null. */
export interface ErrorSink {
  /** Adds the error of a value. Its path begins at the field whose value is written. */
  add(error: PathError, path: PathError['path']): void;
  /** Counts errors that are not added. */
  omit(count: number): void;
  /** Adds the error of the whole value. Returns false if it is a mistake in the code, which clients must not see. */
  fail(error: unknown): boolean;
}

/** What a reader of usual results takes, which need not be reserved. */
const READER_BYTES = 1 << 20;

/** The memory of the readers of an operation, of which one reads at a time. */
export class ReaderMemory {
  /** What the next reader need not reserve. */
  bytes = READER_BYTES;
  readonly #reserve: Reserve;
  #workspace: Workspace | undefined;

  constructor(reserve: Reserve) {
    this.#reserve = reserve;
  }

  /** What the readers work with. */
  get workspace(): Workspace {
    this.#workspace ??= acquireWorkspace();
    return this.#workspace;
  }

  /** Nothing more is read. */
  release(): void {
    if (this.#workspace !== undefined) releaseWorkspace(this.#workspace);
    this.#workspace = undefined;
  }

  /** Reserves more. Waits for the promise, if it returns one. */
  grow(bytes: number): Promise<void> | undefined {
    const granted = () => {
      this.bytes += bytes;
    };
    const reserving = this.#reserve(bytes);
    if (reserving === undefined) granted();
    return reserving?.then(granted);
  }
}

/** What a value is written with. */
export interface Output {
  readonly errors: ErrorSink;
  readonly work: WorkBudget;
  readonly memory: ReaderMemory;
  readonly oddRows: OddRowCounter;
}

/** Writes a value of a response, on demand. */
export type Writing = (output: Output) => Iterable<string | Written>;

/**
 * The work that one operation may cause. The unit is a byte of the response. Other work is charged as the number of bytes that take as
 * long. The engine counts what it writes and computes; the resolvers charge what passes through GraphQL execution before it does.
 */
export class WorkBudget {
  /** The value of the setting MAX_OPERATION_WORK, for error messages. */
  readonly limit: number;
  /** What was charged so far. Only it changes the number. */
  spent = 0;
  /** How often parts were used. Most operations do not need it. */
  #uses: Map<object | string, number> | undefined;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Charges work before it is done. Returns false, and charges nothing, if it exceeds what is left. */
  reserve(units: number): boolean {
    if (this.spent + units > this.limit) return false;
    this.spent += units;
    return true;
  }

  /** Charges work that was done. It may have gone beyond the limit. */
  charge(units: number): void {
    this.spent += units;
  }

  /**
   * Notes further uses of a part of a response by this operation. Some work is charged only for repeated use: the service
   * decides how large a part is, and the client how often it is selected.
   *
   * @param part an object or a key that identifies the part
   * @returns how often it was used before
   */
  countUse(part: object | string): number {
    this.#uses ??= new Map();
    const before = this.#uses.get(part) ?? 0;
    this.#uses.set(part, before + 1);
    return before;
  }
}

/** Counts the odd rows of results, each time that they are read to be written. */
export class OddRowCounter {
  count = 0;
  readonly #total: OddRowCounter | undefined;

  /** @param total counts them too */
  constructor(total?: OddRowCounter) {
    this.#total = total;
  }

  add(rows: number): void {
    this.count += rows;
    this.#total?.add(rows);
  }
}
