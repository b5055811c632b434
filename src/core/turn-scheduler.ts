import { LinkedList, ListEntry } from './linked-list.ts';

/** The approximate number of fields that are completed in one turn of the event loop: some milliseconds of work. */
const FIELDS_PER_TURN = 2_000;

/** The objects of an operation that wait. */
type Queue = { readonly fields: number; readonly start: () => void }[];

/** The waiting operations in the order of their turns. */
const waiting = new LinkedList<Queue>();
const waitingOf = new WeakMap<object, ListEntry<Queue>>();
let fields = 0;
let isScheduled = false;

/**
 * Spreads the completion of objects over turns of the event loop, because GraphQL execution completes all available objects
 * without yielding. Operations take turns.
 *
 * @param operation identifies the operation
 * @param count the number of fields of the object
 * @returns undefined if the object may be completed now; otherwise a promise for its turn
 */
export function scheduleTurn(operation: object, count: number): Promise<void> | undefined {
  if (!isScheduled) {
    isScheduled = true;
    setImmediate(nextTurn);
  }
  if (waiting.size === 0 && fields < FIELDS_PER_TURN) {
    fields += count;
    return undefined;
  }
  return new Promise((start) => {
    const entry = waitingOf.get(operation) ?? new ListEntry<Queue>([]);
    waitingOf.set(operation, entry);
    entry.value.push({ fields: count, start });
    if (entry.list === undefined) waiting.append(entry);
  });
}

function nextTurn(): void {
  fields = 0;
  while (fields < FIELDS_PER_TURN) {
    const { first } = waiting;
    const next = first?.value.shift();
    if (first === undefined || next === undefined) break;
    fields += next.fields;
    next.start();
    if (first.value.length > 0) waiting.append(first);
    else first.remove();
  }
  isScheduled = waiting.size > 0;
  if (isScheduled) setImmediate(nextTurn);
}
