import { nonFiniteText, type Row } from '../../rest/contract/wire.ts';
import type { RowIndex } from '../indexing/row-index.ts';
import type { RowTemplate } from '../indexing/row-template.ts';
import { Dictionary } from './dictionary.ts';
import type { FileLayout } from './file-contents.ts';
import { firstValues, inSteps } from './metric-names.ts';
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
  /** How many values of the file are texts of non-finite numbers: which values it has. Undefined if that is not asked. */
  readonly values: FileValues | undefined;
}

/** Which values of a row a file has. */
export interface FileValues {
  /** `wide`: of each metric with a name the first one. */
  readonly layout: FileLayout;
  /** The names of the metrics. Undefined for all. */
  readonly metrics: ReadonlySet<string> | undefined;
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
  /** The number of values that are texts of non-finite numbers. */
  invalidValues = 0;
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
    if (index.hasTexts(offsetEntry)) this.#addTexts(index, offsetEntry, template);
    if (template === this.#template) return;
    this.#template = template;
    if (this.#templates.has(template)) return;
    this.#templates.add(template);
    for (const { name } of template.metrics ?? []) this.#addMetric(name);
  }

  *decodedRow({ valueDate, metrics }: Row): Iterable<void> {
    if (this.#entry !== undefined) this.#addEntry(this.#entry);
    if (this.#asks.dates) this.dates.addText((valueDate as string | null | undefined) ?? null);
    const all = Array.isArray(metrics) ? metrics : [];
    yield* inSteps(all, ({ name }) => this.#addMetric(name));
    const { values } = this.#asks;
    if (values === undefined) return;
    const count = (name: unknown, value: unknown) => {
      if (value === nonFiniteText && isInFile(values, name)) this.invalidValues += 1;
    };
    if (values.layout === 'wide') yield* inSteps(yield* firstValues(all), ([name, value]) => count(name, value));
    else yield* inSteps(all, ({ name, value }) => count(name, value));
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

  /** Counts the texts of non-finite numbers in a row that has some. */
  #addTexts(index: RowIndex, offsetEntry: number, template: RowTemplate): void {
    const { values } = this.#asks;
    if (values === undefined) return;
    for (const { name, value } of (values.layout === 'wide' ? template.metricsByName.values() : template.metrics) ?? [])
      if (value !== undefined && isInFile(values, name) && index.isText(offsetEntry, template, value))
        this.invalidValues += 1;
  }

  #addMetric(name: unknown): void {
    if (typeof name !== 'string') return;
    if (this.#asks.metrics) this.metrics.add(name);
    if (this.#asks.texts) this.texts.metric.add(name);
  }
}

function isInFile({ layout, metrics }: FileValues, name: unknown): boolean {
  if (typeof name === 'string') return metrics?.has(name) !== false;
  return metrics === undefined && layout === 'long';
}
