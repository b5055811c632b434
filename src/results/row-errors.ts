import type { ErrorSink, ObjectPlan, Path, RowStep } from './plan.ts';

/** The fields of a row whose arguments cannot be used: an error in each row. */
export class RowErrors {
  readonly #refused: readonly { readonly key: string; readonly nodes: unknown; readonly error: Error }[];

  constructor({ fields }: ObjectPlan<RowStep>) {
    this.#refused = fields.flatMap(({ key, nodes, step }) =>
      step.kind === 'refused' ? [{ key, nodes, error: step.error }] : [],
    );
  }

  /** Reports the errors of so many rows of the list at a path; those beyond the limit are only counted. */
  report(list: Path | undefined, rows: number, errors: ErrorSink): void {
    if (this.#refused.length === 0) return;
    for (let row = 0; row < rows; row += 1) {
      if (errors.isFull) {
        errors.omit((rows - row) * this.#refused.length);
        return;
      }
      for (const refused of this.#refused) {
        errors.add({ parent: { parent: list, key: row }, key: refused.key }, refused, refused.error);
      }
    }
  }
}
