import { Workspace } from '../../engine/index.ts';

/*
 * The memory of what is written of results, piece by piece. Fresh memory is expensive: the system maps it page by page as it is written, and
 * what was sent is left to the garbage collector. So a piece is used again once it was sent.
 */

/** The bytes of a piece: those of the engine's. */
export const PIECE_BYTES: number = 1 << 18;

/** The most idle pieces. */
const MAX_IDLE_PIECES = 32;

/** The memory of pieces that are on their way: nothing else has a part of it. */
const inUse = new WeakSet<ArrayBufferLike>();
const idlePieces: Buffer[] = [];

/** A piece leaves for the client: `releasePiece` when it was sent. Other memory is left to the garbage collector. */
export function pieceInUse({ buffer }: Buffer): void {
  if (buffer.byteLength === PIECE_BYTES) inUse.add(buffer);
}

/** Nobody reads these bytes any more. If they are a piece in use, its memory is idle from now on. */
export function releasePiece({ buffer }: Buffer): void {
  if (inUse.delete(buffer)) keepIdle(Buffer.from(buffer));
}

/** An idle piece. Undefined if there is none. */
export function acquirePiece(): Buffer | undefined {
  return idlePieces.pop();
}

/** A piece that was acquired is not needed. */
export function keepIdle(piece: Buffer): void {
  if (idlePieces.length < MAX_IDLE_PIECES) idlePieces.push(piece);
}

/** The most idle workspaces. Each keeps about half a megabyte at most. */
const MAX_IDLE_WORKSPACES = 8;

const idleWorkspaces: Workspace[] = [];
const pieces = { acquire: acquirePiece, release: keepIdle };

/** A workspace for readers of one operation, or of one body that arrives: `releaseWorkspace` when the last of them is closed. */
export function acquireWorkspace(): Workspace {
  return idleWorkspaces.pop() ?? new Workspace(pieces);
}

/** Nobody reads with it any more. What it knows of bodies is forgotten: the next operation is perhaps that of another caller. */
export function releaseWorkspace(workspace: Workspace): void {
  if (workspace.clear() && idleWorkspaces.length < MAX_IDLE_WORKSPACES) idleWorkspaces.push(workspace);
}
