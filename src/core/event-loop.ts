import { setImmediate as immediate } from 'node:timers/promises';
import { LinkedList, ListEntry } from './linked-list.ts';

/** The length of a time slice, in milliseconds. */
const TIME_SLICE_MS = 1;
/**
 * How many time slices one turn of the event loop has, however many responses are received, read and written at the same
 * time: a small response needs several turns, and so does a client that connects, because a turn accepts one connection.
 */
const SLICES_PER_TURN = 2;

/** Who waits for a time slice, the first one first. */
const waiting: (() => void)[] = [];
let isScheduled = false;

/** Breaks long work into time slices, so that other requests run between them. */
export class EventLoopYielder {
  #startedAt = performance.now();

  /** Whether the time slice is over. */
  isDue(): boolean {
    return performance.now() - this.#startedAt >= TIME_SLICE_MS;
  }

  /** Yields to the event loop, and waits for one of the few time slices of a turn. */
  async pause(): Promise<void> {
    await nextSlice();
    this.restart();
  }

  /** Starts a time slice after a wait for something else: at once, unless others wait for one. */
  async goOn(): Promise<void> {
    if (waiting.length > 0) await nextSlice();
    this.restart();
  }

  /** Starts a time slice, because other work ran. */
  restart(): void {
    this.#startedAt = performance.now();
  }
}

/** Resolves in a turn of the event loop in which there is time for more work. */
export function nextSlice(): Promise<void> {
  return new Promise((start) => {
    waiting.push(start);
    if (!isScheduled) setImmediate(startSlices);
    isScheduled = true;
  });
}

function startSlices(): void {
  for (const start of waiting.splice(0, SLICES_PER_TURN)) start();
  isScheduled = waiting.length > 0;
  if (isScheduled) setImmediate(startSlices);
}

let endOfTurn: Promise<void> | undefined;

/**
 * Waits for the end of this turn of the event loop, so that responses that are ready in the same turn are sent together. The
 * network stack then wakes each reader once, because waking a reader is the expensive part. This gives a fifth more small
 * responses a second.
 */
export function nextImmediate(): Promise<void> {
  endOfTurn ??= immediate().then(() => {
    endOfTurn = undefined;
  });
  return endOfTurn;
}

/** The approximate number of fields that are completed in one turn of the event loop: some milliseconds of work. */
const FIELDS_PER_TURN = 2_000;

/** The objects of an operation that wait. */
type Queue = { readonly fields: number; readonly start: () => void }[];

/** The waiting operations in the order of their turns. */
const waitingObjects = new LinkedList<Queue>();
const waitingOf = new WeakMap<object, ListEntry<Queue>>();
let fields = 0;
let isTurnScheduled = false;

/**
 * Spreads the completion of objects over turns of the event loop, because GraphQL execution completes all available objects
 * without yielding. Operations take turns.
 *
 * @param operation identifies the operation
 * @param count the number of fields of the object
 * @returns undefined if the object may be completed now; otherwise a promise for its turn
 */
export function scheduleTurn(operation: object, count: number): Promise<void> | undefined {
  if (!isTurnScheduled) {
    isTurnScheduled = true;
    setImmediate(nextTurn);
  }
  if (waitingObjects.size === 0 && fields < FIELDS_PER_TURN) {
    fields += count;
    return undefined;
  }
  return new Promise((start) => {
    const entry = waitingOf.get(operation) ?? new ListEntry<Queue>([]);
    waitingOf.set(operation, entry);
    entry.value.push({ fields: count, start });
    if (entry.list === undefined) waitingObjects.append(entry);
  });
}

function nextTurn(): void {
  fields = 0;
  while (fields < FIELDS_PER_TURN) {
    const { first } = waitingObjects;
    const next = first?.value.shift();
    if (first === undefined || next === undefined) break;
    fields += next.fields;
    next.start();
    if (first.value.length > 0) waitingObjects.append(first);
    else first.remove();
  }
  isTurnScheduled = waitingObjects.size > 0;
  if (isTurnScheduled) setImmediate(nextTurn);
}
