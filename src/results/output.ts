import type { PathError, Workspace } from '../../engine/index.ts';
import { acquireWorkspace, releaseWorkspace } from '../core/workspaces.ts';
import type { OddRowCounter } from './odd-rows.ts';
import type { WorkBudget } from './work-budget.ts';

/** Reserves memory. Waits for the promise, if it returns one. */
export type Reserve = (bytes: number) => Promise<void> | undefined;

/** Chunks of a response, or something that has to be waited for. A chunk that is copied (chunks.ts) is there until the next step. */
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
