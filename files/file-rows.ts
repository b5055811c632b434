import { FieldError, type Origin, type RowBatch, type Template } from '../engine/index.ts';
import type { WideColumn } from './wide-columns.ts';

/** What each row of a file says about its asset (REST specification, section 2.5). */
export interface EntryAttributes {
  readonly assetId: string;
  readonly name: string | null;
  readonly version: bigint | null;
}

/** What is known of the attributes of an entry: when it is written, all of them. What was not read is as if it had no value. */
export function attributesOf(origin: Origin): EntryAttributes {
  return {
    assetId: (origin.attribute('assetId') ?? '') as string,
    name: (origin.attribute('name') ?? null) as string | null,
    version: (origin.attribute('version') ?? null) as bigint | null,
  };
}

/** Whether all attributes of an entry were read. */
export function areRead(origin: Origin): boolean {
  return (['assetId', 'name', 'version'] as const).every((name) => origin.attribute(name) !== undefined);
}

export function areEqual(one: EntryAttributes, other: EntryAttributes): boolean {
  return one.assetId === other.assetId && one.name === other.name && one.version === other.version;
}

/**
 * Rows, entry by entry, for a file. A file cannot say that something is wrong, so each error of rows ends it; the text of a number that is
 * not finite is no value.
 */
export class EntryRows {
  origin: Origin | undefined;
  #hasRows = false;

  begin(origin: Origin): void {
    this.origin = origin;
    this.#hasRows = false;
  }

  /** Returns whether they are the first ones of the entry. @throws FieldError */
  add({ errors, first }: RowBatch): boolean {
    for (const { kind } of errors) if (kind !== 'nonFinite') throw new FieldError(kind, first);
    const areFirst = !this.#hasRows;
    this.#hasRows = true;
    return areFirst;
  }
}

/** A metric of a row: its value is in a slot of the row, or absent where the slot is less than 0. */
export interface RowMetric {
  readonly name: string | null;
  readonly slot: number;
}

const noMetric: RowMetric = { name: null, slot: -1 };

/** The metrics of rows that have a row each in a file. A row without metrics is there too: its date is not lost. @param names undefined for all */
export function longMetrics({ metrics }: Template, names: ReadonlySet<string> | undefined): readonly RowMetric[] {
  if (names !== undefined) return (metrics ?? []).filter(({ name }) => name !== null && names.has(name));
  return metrics === null || metrics.length === 0 ? [noMetric] : metrics;
}

/** The same of a file with a column for each metric: if a row repeats a metric, the first one counts. */
export function wideMetrics(template: Template, names: ReadonlySet<string> | undefined): readonly RowMetric[] {
  return [...firstOfEach(template).values()].filter(({ name }) => names?.has(name as string) ?? true);
}

/** The slot of each column in rows of a template. */
export function wideSlots(template: Template, columns: readonly WideColumn[]): readonly number[] {
  const first = firstOfEach(template);
  return columns.map(({ metric }) => first.get(metric)?.slot ?? -1);
}

function firstOfEach({ metrics }: Template): ReadonlyMap<string, RowMetric> {
  const first = new Map<string, RowMetric>();
  for (const metric of metrics ?? [])
    if (metric.name !== null && !first.has(metric.name)) first.set(metric.name, metric);
  return first;
}
