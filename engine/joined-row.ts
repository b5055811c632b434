import { FieldError } from './errors.ts';
import type { Memory } from './memory.ts';
import type { RowBatch } from './row-batch.ts';
import type { RowError } from './row-parser.ts';

/** The memory of a metric, about, beside its characters. */
const BYTES_PER_METRIC = 200;
const BYTES_PER_CHARACTER = 2;
/** The JSON of a metric beside its name and its value, and that of the row beside its date and its metrics. */
const BYTES_AROUND_METRIC = '{"name":,"value":},'.length;
const BYTES_AROUND_ROW = '{"value_date":,"metrics":[]}'.length;

interface Metric {
  readonly nameJson: string;
  value: string;
  /** Those of its name and its value. */
  errors: readonly RowError[];
}

/**
 * Rows of one date as one row: the metrics of the first row, and of each later one those that no row before it has. A metric without a
 * value takes the first one that a later row has.
 */
export class JoinedRow {
  readonly #memory: Memory;
  readonly #valueDate: string;
  /** Undefined if no row has a list of metrics. */
  #metrics: Metric[] | undefined;
  /** The errors of a row whose list has a wrong type: then there are no metrics. */
  #wrongList: readonly RowError[] | undefined;
  /** The index of the first metric of each name. */
  readonly #byName = new Map<string, number>();
  #bytes: number;
  #held = 0;

  constructor(memory: Memory, valueDate: string) {
    this.#memory = memory;
    this.#valueDate = valueDate;
    this.#bytes = BYTES_AROUND_ROW + Buffer.byteLength(valueDate);
  }

  /** @throws FieldError if memory is exceeded */
  add(rows: RowBatch, row: number): void {
    const { metrics } = rows.template;
    if (rows.errors.some(({ part }) => part === 'metrics')) this.#wrongList ??= rows.errors;
    if (metrics === null || this.#isTooLarge) return;
    this.#metrics ??= [];
    const before = this.#metrics.length;
    const errorsOf = Map.groupBy(rows.errors, ({ metric }) => metric);
    for (const [index, { name, nameJson, slot }] of metrics.entries()) {
      const errors = errorsOf.get(index) ?? [];
      const value = slot < 0 ? 'null' : rows.bytes.toString('latin1', rows.startOf(row, slot), rows.endOf(row, slot));
      const found = name === null ? undefined : this.#byName.get(name);
      if (found !== undefined && found < before) {
        const metric = this.#metrics[found] as Metric;
        if (!isMissing(metric) || isMissing({ value, errors })) continue;
        metric.value = value;
        metric.errors = errors;
        this.#bytes += value.length;
        continue;
      }
      this.#hold(BYTES_PER_METRIC + (nameJson.length + value.length) * BYTES_PER_CHARACTER);
      this.#bytes += Buffer.byteLength(nameJson) + value.length + BYTES_AROUND_METRIC;
      if (name !== null && found === undefined) this.#byName.set(name, this.#metrics.length);
      this.#metrics.push({ nameJson, value, errors });
    }
    if (this.#isTooLarge) this.release();
  }

  get #isTooLarge(): boolean {
    return this.#bytes > this.#memory.maxPart;
  }

  #hold(bytes: number): void {
    this.#memory.holdForField(bytes);
    this.#held += bytes;
  }

  /** Gives up its metrics. */
  release(): void {
    this.#memory.hold(-this.#held);
    this.#held = 0;
    this.#metrics = [];
    this.#byName.clear();
  }

  /** The row without what is wrong with it. @throws FieldError if it is longer than a row may be */
  get json(): string {
    const metrics = this.#wrongList === undefined ? this.#metrics : undefined;
    if (this.#isTooLarge) throw new FieldError('tooLarge');
    const list = metrics?.map(({ nameJson, value }) => `{"name":${nameJson},"value":${value}}`);
    return `{"value_date":${this.#valueDate},"metrics":${list === undefined ? 'null' : `[${list.join()}]`}}`;
  }

  /** What is wrong with it. */
  get errors(): readonly RowError[] {
    if (this.#wrongList !== undefined) return this.#wrongList.filter(({ part }) => part === 'metrics');
    return (this.#metrics ?? []).flatMap(({ errors }, metric) => errors.map((error) => ({ ...error, metric })));
  }
}

/** Whether another row may have the value. */
function isMissing({ value, errors }: Pick<Metric, 'value' | 'errors'>): boolean {
  return value === 'null' && !errors.some(({ part, kind }) => part === 'value' && kind === 'wrongType');
}
