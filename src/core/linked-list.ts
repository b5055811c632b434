/** An entry of a linked list: a value that is in one list at a time, or in none. */
export class ListEntry<T> {
  readonly value: T;
  list: LinkedList<T> | undefined;
  previous: ListEntry<T> | undefined;
  next: ListEntry<T> | undefined;

  constructor(value: T) {
    this.value = value;
  }

  /** Removes it from its list, if it is in one. */
  remove(): void {
    this.list?.remove(this);
  }
}

/**
 * A list of what comes and goes with each request, the oldest first. Use it instead of a `Set` or `Map` that lives as long as
 * the process. Such a collection copies its table again and again, and each old table refers to the next one. Once an old
 * table has moved to the old generation of the heap, all that come after it are kept until the next full garbage collection,
 * with the requests that they refer to. Each minor collection then copies every request.
 */
export class LinkedList<T> implements Iterable<T> {
  /** The oldest entry, the newest one, and how many there are. Only the list changes them. */
  first: ListEntry<T> | undefined;
  last: ListEntry<T> | undefined;
  size = 0;

  /** Adds a value at the end. Returns its entry. */
  add(value: T): ListEntry<T> {
    const entry = new ListEntry(value);
    this.append(entry);
    return entry;
  }

  /** Moves an entry to the end of this list. */
  append(entry: ListEntry<T>): void {
    entry.remove();
    entry.list = this;
    entry.previous = this.last;
    if (this.last === undefined) this.first = entry;
    else this.last.next = entry;
    this.last = entry;
    this.size += 1;
  }

  /** Removes an entry of this list. Clears its references, so that it keeps no other entry. */
  remove(entry: ListEntry<T>): void {
    if (entry.list !== this) return;
    const { previous, next } = entry;
    if (previous === undefined) this.first = next;
    else previous.next = next;
    if (next === undefined) this.last = previous;
    else next.previous = previous;
    entry.list = undefined;
    entry.previous = undefined;
    entry.next = undefined;
    this.size -= 1;
  }

  /** The values that are in the list now, the oldest first. */
  [Symbol.iterator](): Iterator<T> {
    const values: T[] = [];
    for (let entry = this.first; entry !== undefined; entry = entry.next) values.push(entry.value);
    return values.values();
  }
}
