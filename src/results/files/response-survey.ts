import type { Row } from '../../rest/contract/wire.ts';
import type { RowIndex } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';
import { Dictionary } from './dictionary.ts';
import { inSteps } from './metric-names.ts';
import type { EntryAttributes, RowSink } from './row-sink.ts';
import { DateSurvey } from './value-dates.ts';

/** The texts that rows repeat, by the names of their columns. */
export type RepeatedTexts = Readonly<Record<'asset_id' | 'asset_name' | 'metric', Dictionary>>;

/** What a file has to know about all rows before it writes the first one. */
export interface SurveyQuestions {
  /** The names of the metrics, in the order of their first appearance. */
  readonly metrics: boolean;
  /** The type of the dates. */
  readonly dates: boolean;
  /** The texts that rows repeat. */
  readonly texts: boolean;
}

/** Reads a response before its file is written, and makes no bytes. What was not asked is as if there were no rows. */
export class ResponseSurvey implements RowSink {
  readonly metrics: Set<string> = new Set();
  readonly dates: DateSurvey = new DateSurvey();
  readonly texts: RepeatedTexts = {
    asset_id: new Dictionary(),
    asset_name: new Dictionary(),
    metric: new Dictionary(),
  };
  readonly hasFilled = false;
  readonly #asks: SurveyQuestions;
  readonly #templates = new Set<RowTemplate>();
  #template: RowTemplate | undefined;
  /** The entry that has begun. Undefined once its texts are known. */
  #entry: EntryAttributes | undefined;

  constructor(asks: SurveyQuestions) {
    this.#asks = asks;
  }

  begin(entry: EntryAttributes): void {
    if (this.#asks.texts) this.#entry = entry;
  }

  row(index: RowIndex, offsetEntry: number, template: RowTemplate): undefined {
    if (this.#entry !== undefined) this.#addEntry(this.#entry);
    if (this.#asks.dates) this.dates.addRow(index, offsetEntry, template);
    if (template === this.#template) return;
    this.#template = template;
    if (this.#templates.has(template)) return;
    this.#templates.add(template);
    for (const { name } of template.metrics ?? []) this.#addMetric(name);
  }

  decodedRow({ valueDate, metrics }: Row): Iterable<void> {
    if (this.#entry !== undefined) this.#addEntry(this.#entry);
    if (this.#asks.dates) this.dates.addText((valueDate as string | null | undefined) ?? null);
    return inSteps(Array.isArray(metrics) ? metrics : [], ({ name }) => this.#addMetric(name));
  }

  takeFilled(): [] {
    return [];
  }

  finish(): [] {
    return [];
  }

  /** An entry without rows is not in the file. */
  #addEntry({ assetId, name }: EntryAttributes): void {
    this.#entry = undefined;
    this.texts.asset_id.add(assetId);
    if (name !== null) this.texts.asset_name.add(name);
  }

  #addMetric(name: unknown): void {
    if (typeof name !== 'string') return;
    if (this.#asks.metrics) this.metrics.add(name);
    if (this.#asks.texts) this.texts.metric.add(name);
  }
}
