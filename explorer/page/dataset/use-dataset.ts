import { useEffect, useMemo, useState } from 'react';
import { isUnauthenticated, OperationError } from '../operation-error.ts';
import { type Facts, loadFacts, loadOutline, type Option, type Outline, type OutlineRequest } from '../outline.ts';
import type { Access } from '../post.ts';
import { reasonOf } from '../response/message-of.ts';
import type { PageOperations } from '../settings.ts';
import { LARGE_ROWS } from './time-parts.ts';
import { DAY_MS, dayOf, lengthOf, readView, type View } from './view.ts';

/** What is known of a dataset. */
export type DatasetState =
  | { readonly kind: 'noToken' }
  /** The metadata come first. */
  | { readonly kind: 'loading'; readonly facts?: Facts }
  | { readonly kind: 'failed'; readonly error: unknown }
  | {
      readonly kind: 'ready';
      readonly outline: Outline;
      /** Why the rest of the outline could not be read. */
      readonly restError?: string;
    };

/** The days of a large dataset whose assets are known first: a week, in which most assets have rows. */
const FIRST_DAYS = 7;

/**
 * Reads what a dataset holds, again for each new access. What is known stays until then. Of a large one, it reads the assets and
 * metrics of the last days first, because the service has no call that lists assets, and the others after all else.
 *
 * @returns what is known, and what is to be called once all else has been read
 */
export function useDataset(access: Access, operations: PageOperations, id: string): [DatasetState, () => void] {
  const [read, setRead] = useState<{ readonly access: Access; readonly state: DatasetState }>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: all is read again for a new access
  const shown = useMemo(() => Promise.withResolvers<void>(), [access]);
  useEffect(() => {
    if (access.token === '') return;
    const controller = new AbortController();
    const { signal } = controller;
    void (async () => {
      for await (const next of statesOf({ access, operations, id, signal }, shown.promise)) {
        if (signal.aborted) return;
        setRead((last) => ({ access, state: last !== undefined && stays(last.state, next) ? last.state : next }));
      }
    })();
    return () => controller.abort();
  }, [access, operations, id, shown]);
  if (access.token === '') return [{ kind: 'noToken' }, shown.resolve];
  const isKnown = read?.access === access || read?.state.kind === 'ready';
  return [isKnown ? read.state : { kind: 'loading' }, shown.resolve];
}

/**
 * Whether the last state stays, because the next one has nothing new: then nothing that depends on it is read again. Where the token is no
 * longer accepted, what else is read says so, in its place.
 */
function stays(last: DatasetState, next: DatasetState): boolean {
  if (last.kind === 'ready' && next.kind === 'loading') return true;
  if (last.kind === 'ready' && next.kind === 'failed' && isRejected(next.error)) return true;
  if (last.kind === 'ready' && next.kind === 'ready' && last.outline.isComplete && !next.outline.isComplete)
    return true;
  return JSON.stringify(last) === JSON.stringify(next);
}

function isRejected(error: unknown): boolean {
  return error instanceof OperationError && isUnauthenticated(error.errors);
}

async function* statesOf(request: OutlineRequest, shown: Promise<void>): AsyncGenerator<DatasetState> {
  yield { kind: 'loading' };
  let part: Outline | undefined;
  try {
    const facts = await loadFacts(request);
    yield { kind: 'loading', facts };
    part = await loadPart(request, facts);
    if (part !== undefined) {
      yield { kind: 'ready', outline: part };
      await shown;
    }
    const outline = await loadOutline(request, facts);
    const [error] = outline.errors;
    if (part !== undefined && outline.assets.length === 0 && error !== undefined) throw new Error(error.message);
    yield { kind: 'ready', outline };
  } catch (error) {
    yield part === undefined ? { kind: 'failed', error } : { kind: 'ready', outline: part, restError: reasonOf(error) };
  }
}

/** The outline of the last days of a large dataset. Undefined if it is not enough for the view in the address. */
async function loadPart(request: OutlineRequest, facts: Facts): Promise<Outline | undefined> {
  const [first, last] = facts.days;
  const rows = (facts.assetCount ?? 0) * lengthOf({ from: first, to: last });
  if (last === '' || !(rows > LARGE_ROWS)) return undefined;
  const start = dayOf(Date.parse(last) - (FIRST_DAYS - 1) * DAY_MS);
  // If it fails, the whole outline is tried.
  const part = await loadOutline(request, facts, { start }).catch(() => undefined);
  const isEnough = part !== undefined && part.assets.length > 0 && hasChoice(part, readView(location.hash));
  return isEnough ? part : undefined;
}

/** Whether an outline has all assets and metrics that a view chooses. */
function hasChoice(outline: Outline, { assetIds = [], metrics = [] }: View): boolean {
  const has = (options: readonly Option[], ids: readonly string[]) =>
    ids.every((id) => options.some((option) => option.id === id));
  return has(outline.assets, assetIds) && has(outline.metrics, metrics);
}
