/** The approximate number of fields that are completed in one turn of the event loop: some milliseconds of work. */
const FIELDS_PER_TURN = 2_000;

/** The waiting operations in the order of their turns, each with its queue of objects. */
const waiting = new Map<object, { readonly fields: number; readonly start: () => void }[]>();
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
export function turnFor(operation: object, count: number): Promise<void> | undefined {
  if (!isScheduled) {
    isScheduled = true;
    setImmediate(nextTurn);
  }
  if (waiting.size === 0 && fields < FIELDS_PER_TURN) {
    fields += count;
    return undefined;
  }
  return new Promise((start) => {
    const queue = waiting.get(operation);
    if (queue === undefined) waiting.set(operation, [{ fields: count, start }]);
    else queue.push({ fields: count, start });
  });
}

function nextTurn(): void {
  fields = 0;
  while (fields < FIELDS_PER_TURN) {
    const [first] = waiting;
    if (first === undefined) break;
    const [operation, queue] = first;
    waiting.delete(operation);
    const next = queue.shift();
    if (next === undefined) continue;
    fields += next.fields;
    next.start();
    if (queue.length > 0) waiting.set(operation, queue);
  }
  isScheduled = waiting.size > 0;
  if (isScheduled) setImmediate(nextTurn);
}
