import type { BoundObject, ErrorSink, Path, RowStep } from '../selection.ts';

/** The fields of a row with invalid arguments. Each of them is an error in each row. */
export class RowErrors {
  readonly #invalid: readonly { readonly key: string; readonly nodes: unknown; readonly error: Error }[];

  constructor({ fields }: BoundObject<RowStep>) {
    this.#invalid = fields.flatMap(({ key, nodes, step }) =>
      step.kind === 'invalidArguments' ? [{ key, nodes, error: step.error }] : [],
    );
  }

  /** Reports the errors of the first `rows` rows of a list. Errors beyond the limit are only counted. */
  report(list: Path | undefined, rows: number, errors: ErrorSink): void {
    if (this.#invalid.length === 0) return;
    for (let row = 0; row < rows; row += 1) {
      if (errors.isFull) {
        errors.omit((rows - row) * this.#invalid.length);
        return;
      }
      this.reportRow({ parent: list, key: row }, errors);
    }
  }

  /** Reports the errors of one row. */
  reportRow(row: Path | undefined, errors: ErrorSink): void {
    for (const invalid of this.#invalid) errors.add({ parent: row, key: invalid.key }, invalid, invalid.error);
  }
}
