import { RestError } from '../../rest/contract/rest-error.ts';

/** A row of a response is invalid. Rows and series are counted from 0. */
export class InvalidRow extends RestError {
  readonly #row: number;
  readonly #problem: string;

  /** @param problem such as `has no date`. @param series undefined for the series that a field is on */
  constructor(row: number, problem: string, series?: number) {
    const ofSeries = series === undefined ? '' : ` of series ${series}`;
    super('getDatasetResults', 'invalidResponse', { status: 200, problem: `row ${row}${ofSeries} ${problem}` });
    this.#row = row;
    this.#problem = problem;
  }

  /** The error of a row whose date is needed. @param hasDate whether it has one, which cannot be read */
  static withoutTime(row: number, hasDate: boolean, series?: number): InvalidRow {
    return new InvalidRow(row, hasDate ? 'has a date that cannot be read' : 'has no date', series);
  }

  /** The same, where a field is computed from many series. */
  ofSeries(series: number | undefined): InvalidRow {
    return series === undefined ? this : new InvalidRow(this.#row, this.#problem, series);
  }
}
