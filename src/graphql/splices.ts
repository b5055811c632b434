import { randomUUID } from 'node:crypto';
import { type FormattedExecutionResult, GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import { ByteWriter } from '../results/byte-writer.ts';
import type { FastWayCounter } from '../results/counter.ts';
import { Decline } from '../results/decline.ts';
import type { Writing } from '../results/fast-way.ts';

/**
 * The parts of one answer that are written straight from the bytes of the REST answer. The resolver of such a field
 * answers null. When the operation is done a marker takes the place of that null, and when the answer is sent the
 * marker gives way to the bytes, which are written only then.
 */
export class Splices {
  readonly #counter: FastWayCounter | undefined;
  readonly #splices: { readonly path: readonly (string | number)[]; readonly write: Writing }[] = [];
  #marker = '';

  /** @param counter undefined where the fast way is off */
  constructor(counter: FastWayCounter | undefined) {
    this.#counter = counter;
  }

  /**
   * Tries to answer a field the fast way.
   *
   * @returns whether that will be done; if not, the field is to be resolved the plain way
   */
  attempt(info: GraphQLResolveInfo, prepare: () => Writing): boolean {
    if (this.#counter === undefined) return false;
    try {
      const write = prepare();
      this.#splices.push({ path: responsePathAsArray(info.path), write });
      this.#counter.taken();
      return true;
    } catch (error) {
      // An input that is refused is reported by the field that it is given to.
      const declined = error instanceof Decline || error instanceof GraphQLError;
      if (!declined) throw error;
      this.#counter.declined(error instanceof Decline ? error.reason : 'selection');
      return false;
    }
  }

  /** Puts the markers into the data. */
  mark(result: FormattedExecutionResult): void {
    if (this.#splices.length === 0) return;
    // Nobody can know it before, and so put it into data.
    this.#marker = randomUUID();
    for (const [index, { path }] of this.#splices.entries()) {
      let parent: unknown = result.data;
      for (const key of path.slice(0, -1))
        parent = (parent as Record<string | number, unknown> | null | undefined)?.[key];
      const last = path.at(-1);
      if (parent !== null && parent !== undefined && last !== undefined) {
        (parent as Record<string | number, unknown>)[last] = `${this.#marker}${index}`;
      }
    }
  }

  /**
   * The answer with the bytes in place of the markers; undefined where there are none. It is written while it is asked
   * for, a stretch at a time, whether or not this fills a piece.
   */
  apply(text: string): Iterable<readonly Buffer[]> | undefined {
    return this.#marker === '' ? undefined : this.#write(text);
  }

  *#write(text: string): Iterable<readonly Buffer[]> {
    const out = new ByteWriter();
    let at = 0;
    for (let found = text.indexOf(this.#marker); found >= 0; found = text.indexOf(this.#marker, at)) {
      out.text(text.slice(at, found - 1));
      const end = text.indexOf('"', found);
      const splice = this.#splices[Number(text.slice(found + this.#marker.length, end))];
      for (const _ of splice?.write(out) ?? []) yield out.takeFilled();
      at = end + 1;
    }
    out.text(text.slice(at));
    yield out.finish();
  }
}
