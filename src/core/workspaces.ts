import { Workspace } from '../../engine/index.ts';
import { acquirePiece, keepIdle } from './piece-pool.ts';

/** The most idle workspaces. Each keeps about half a megabyte at most. */
const MAX_IDLE = 8;

const idle: Workspace[] = [];
const pieces = { acquire: acquirePiece, release: keepIdle };

/** A workspace for readers of one operation, or of one body that arrives: `releaseWorkspace` when the last of them is closed. */
export function acquireWorkspace(): Workspace {
  return idle.pop() ?? new Workspace(pieces);
}

/** Nobody reads with it any more. What it knows of bodies is forgotten: the next operation is perhaps that of another caller. */
export function releaseWorkspace(workspace: Workspace): void {
  if (workspace.clear() && idle.length < MAX_IDLE) idle.push(workspace);
}
