import type { Held } from './held.ts';

/** An entry of the list. */
export interface Cursor {
  readonly index: number;
  readonly assetId: string;
}

/** How the entries are read. */
export interface Page {
  /** Whether the first and the last entry have to be known. */
  readonly hasEnds?: boolean;
  /** All entries are of one asset and one version: their rows are written together, with the attributes of the first one. */
  readonly together?: boolean;
  /** How many entries are noted, for `Held`. Behind them only others of the same assets are. Absent: none. */
  readonly index?: number;
  /** The body that is read, if it is kept: the attributes of an asset are those of its highest version. */
  readonly held?: Held;
  /** Whether only one entry is written, without the brackets of a list. */
  readonly isSingle?: boolean;
  /** What the caller's functions in arguments get: what differs between uses of a selection. */
  readonly context?: unknown;
  /** Whether an asset must have one entry, because what it has in others is not known: else the response ends with an error. */
  readonly isUnique?: boolean;
}
