import type { FieldType, Making, Origin, RowBatch, Template } from '../engine/index.ts';
import type { FileLayout } from '../src/graphql/results-file.ts';
import { Dictionary } from './dictionary.ts';
import { DateSurvey } from './file-dates.ts';
import { areEqual, attributesOf, type EntryAttributes, EntryRows, longMetrics, wideMetrics } from './file-rows.ts';

/** The texts that rows repeat, by the names of their columns. */
export type RepeatedTexts = Readonly<Record<'asset_id' | 'asset_name' | 'metric', Dictionary>>;

/** What a file has to know about all rows before it writes the first one. */
export interface SurveyQuestions {
  /** The names of the metrics, in the order of their first appearance. */
  readonly metrics: boolean;
  /** The type of the dates, and which attributes come behind their rows. */
  readonly types: boolean;
  /** The texts that rows repeat. */
  readonly texts: boolean;
  /** The values of which the texts of non-finite numbers are counted: undefined for those of all metrics. */
  readonly values: { readonly layout: FileLayout; readonly metrics: ReadonlySet<string> | undefined };
}

/** The memory of a name, and of attributes, beside their characters. */
const BYTES_PER_NAME = 64;
const BYTES_PER_ENTRY = 200;

/** Reads a response before its file is written, and makes no bytes. What was not asked is as if there were no rows. */
export class RowsSurvey implements FieldType {
  readonly metrics: Set<string> = new Set();
  readonly dates: DateSurvey = new DateSurvey();
  readonly texts: RepeatedTexts = {
    asset_id: new Dictionary(),
    asset_name: new Dictionary(),
    metric: new Dictionary(),
  };
  /** The attributes of entries, by index, of which not all precede their rows. */
  readonly lateAttributes: Map<number, EntryAttributes> = new Map();
  /** The number of values that are texts of non-finite numbers. */
  invalidValues = 0;
  readonly #asks: SurveyQuestions;

  constructor(asks: SurveyQuestions) {
    this.#asks = asks;
  }

  make({ memory }: Making) {
    const entry = new EntryRows();
    const templates = new WeakSet<Template>();
    let early: EntryAttributes | undefined;
    return {
      begin: (origin: Origin) => {
        entry.begin(origin);
        early = undefined;
      },
      add: (rows: RowBatch) => {
        if (entry.add(rows)) early = attributesOf(entry.origin as Origin);
        if (this.#asks.types) this.dates.addRows(rows);
        if (rows.errors.length > 0) this.#addTexts(rows);
        if (templates.has(rows.template)) return;
        templates.add(rows.template);
        for (const { name } of rows.template.metrics ?? []) if (name !== null) this.#addMetric(name, memory);
      },
      write: () => {
        // An entry without rows is not in the file.
        if (early !== undefined) this.#addEntry(entry.origin as Origin, early, memory);
        return false;
      },
    };
  }

  #addEntry(origin: Origin, early: EntryAttributes, memory: Making['memory']): void {
    const attributes = attributesOf(origin);
    const { assetId, name } = attributes;
    if (this.#asks.types && !areEqual(attributes, early)) {
      memory.holdForField(BYTES_PER_ENTRY + 2 * (assetId.length + (name?.length ?? 0)));
      this.lateAttributes.set(origin.entry, attributes);
    }
    if (!this.#asks.texts) return;
    this.texts.asset_id.add(assetId);
    if (name !== null) this.texts.asset_name.add(name);
  }

  /** Counts the texts of non-finite numbers in a row that has some. */
  #addTexts({ errors, template }: RowBatch): void {
    const { layout, metrics } = this.#asks.values;
    const own = new Set(layout === 'wide' ? wideMetrics(template, metrics) : longMetrics(template, metrics));
    const indices = new Set(errors.filter(({ part }) => part === 'value').map(({ metric }) => metric));
    for (const [index, metric] of (template.metrics ?? []).entries())
      if (indices.has(index) && own.has(metric)) this.invalidValues += 1;
  }

  #addMetric(name: string, memory: Making['memory']): void {
    if (this.#asks.texts) this.texts.metric.add(name);
    if (!this.#asks.metrics || this.metrics.has(name)) return;
    memory.holdForField(BYTES_PER_NAME + 2 * name.length);
    this.metrics.add(name);
  }
}
