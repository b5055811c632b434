/** The most texts of a dictionary, and the most characters of all of them. It is written in one step. */
const MAX_TEXTS = 1 << 14;
const MAX_CHARACTERS = 1 << 19;

/** The distinct texts of a column, each with its place. A lone surrogate is U+FFFD, as in UTF-8. */
export class Dictionary {
  readonly #texts: string[] = [];
  readonly #places = new Map<string, number>();
  #characters = 0;
  #isTooLarge = false;

  /** Adds a text that the column has. */
  add(text: string): void {
    if (this.#isTooLarge || (text.length <= MAX_CHARACTERS && this.#places.has(text))) return;
    this.#characters += text.length;
    if (this.#characters > MAX_CHARACTERS || this.#places.size === MAX_TEXTS) {
      this.#isTooLarge = true;
      this.#texts.length = 0;
      this.#places.clear();
      return;
    }
    const written = text.toWellFormed();
    const place = this.#places.get(written) ?? this.#texts.push(written) - 1;
    this.#places.set(written, place);
    this.#places.set(text, place);
  }

  /** Whether it has each text of the column, and there are any. */
  get isUsable(): boolean {
    return this.#texts.length > 0;
  }

  /** In the order of their places. */
  get texts(): readonly string[] {
    return this.#texts;
  }

  /** The place of a text of the column. */
  placeOf(text: string): number {
    return this.#places.get(text) as number;
  }
}
