import { randomUUID } from 'node:crypto';
import { type FormattedExecutionResult, GraphQLError, type GraphQLResolveInfo, responsePathAsArray } from 'graphql';
import { giveBack } from '../rest/memory.ts';
import { CHUNK_BYTES } from '../results/byte-writer.ts';
import type { FastWayCounter } from '../results/counter.ts';
import { Decline } from '../results/decline.ts';
import { FastWay } from '../results/fast-way.ts';
import { Pacer } from '../results/pacer.ts';

/**
 * The parts of one answer that are written straight from the bytes of the REST answer. The resolver of such a field
 * answers null. When the operation is done a marker takes the place of that null, and when the answer is text the
 * marker gives way to the bytes.
 */
export class Splices {
  readonly #counter: FastWayCounter | undefined;
  readonly #marker = randomUUID();
  readonly #splices: { readonly path: readonly (string | number)[]; readonly pieces: readonly Buffer[] }[] = [];

  /** @param counter undefined where the fast way is off */
  constructor(counter: FastWayCounter | undefined) {
    this.#counter = counter;
  }

  /**
   * Tries to answer a field the fast way.
   *
   * @returns whether that was done; if not, nothing has happened, and the field is to be resolved the plain way
   */
  async attempt(info: GraphQLResolveInfo, write: (fastWay: FastWay) => Promise<readonly Buffer[]>): Promise<boolean> {
    if (this.#counter === undefined) return false;
    try {
      const pieces = await write(new FastWay(new Pacer()));
      this.#splices.push({ path: responsePathAsArray(info.path), pieces });
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

  /** Gives the memory of large pieces back, when they have been sent. */
  giveBack(): void {
    for (const { pieces } of this.#splices) {
      for (const piece of pieces) if (piece.buffer.byteLength >= CHUNK_BYTES) giveBack(piece);
    }
  }

  /** The answer as pieces, with the bytes in place of the markers; undefined where there are none. */
  apply(text: string): Buffer[] | undefined {
    if (this.#splices.length === 0) return undefined;
    const pieces: Buffer[] = [];
    let at = 0;
    for (let found = text.indexOf(this.#marker); found >= 0; found = text.indexOf(this.#marker, at)) {
      pieces.push(Buffer.from(text.slice(at, found - 1)));
      const end = text.indexOf('"', found);
      const index = Number(text.slice(found + this.#marker.length, end));
      pieces.push(...(this.#splices[index]?.pieces ?? []));
      at = end + 1;
    }
    pieces.push(Buffer.from(text.slice(at)));
    return pieces;
  }
}
