/** About how many fields are completed in one turn of the event loop: some milliseconds of work. */
const FIELDS_PER_TURN = 2_000;

/** The operations that wait, in the order of their turns, each with what waits in it. */
const waiting = new Map<object, { readonly fields: number; readonly start: () => void }[]>();
let fields = 0;
let isScheduled = false;

/**
 * Lets an object be completed in this turn of the event loop, or in a later one: GraphQL execution completes all objects
 * that are there without a stop. Operations take turns.
 *
 * @param operation stands for the operation
 * @param count how many fields the object has
 * @returns undefined where it may be completed now
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
    const own = waiting.get(operation);
    if (own === undefined) waiting.set(operation, [{ fields: count, start }]);
    else own.push({ fields: count, start });
  });
}

function nextTurn(): void {
  fields = 0;
  while (fields < FIELDS_PER_TURN) {
    const [first] = waiting;
    if (first === undefined) break;
    const [operation, own] = first;
    waiting.delete(operation);
    const next = own.shift();
    if (next === undefined) continue;
    fields += next.fields;
    next.start();
    if (own.length > 0) waiting.set(operation, own);
  }
  isScheduled = waiting.size > 0;
  if (isScheduled) setImmediate(nextTurn);
}
