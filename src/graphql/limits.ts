import { type DocumentNode, GraphQLError, type GraphQLResolveInfo, Kind } from 'graphql';
import type { RowsFilter } from '../loaders/results.ts';
import { type AssetEntry, WorkBudget } from '../results/results.ts';
import { limitExceeded, workExceeded } from './errors.ts';
import { MAX_ERRORS, type OperationErrors } from './operation-errors.ts';
import { MAX_LEVELS, Sizes } from './selection-size.ts';
import type { Selections } from './selections.ts';

type TimeRange = NonNullable<RowsFilter['timeRange']>;

/** The most fields on the root of one operation, before those of one name are merged. */
export const MAX_ROOT_FIELDS = 100;

/** The most datasets that one operation may name, repeated ones included. */
export const MAX_DATASETS = 1000;

/** The most asset ids in all filters of one operation, repeated ones included. */
export const MAX_ASSET_IDS = 10_000;

/** The most results of datasets and series of assets that one operation may select, on all of its objects. */
export const MAX_SERIES = 5000;

/** The most different time ranges in one operation: each takes calls of its own. */
export const MAX_TIME_RANGES = 100;

/** What a field costs that is completed on an object of a list, in units of MAX_OPERATION_WORK. */
const UNITS_PER_FIELD = 2_500;

/** What a character costs that goes through GraphQL execution, and is sent in one piece with the rest. */
const UNITS_PER_CHARACTER = 20;

/** What an asset costs that is asked for by its id: its calls are planned, and its answer is looked for. */
export const UNITS_PER_ASSET = 40_000;

/** What a download ticket costs, which is encrypted. */
export const UNITS_PER_TICKET = 150_000;

/** The most metric names in the argument of one field. */
export const MAX_METRIC_NAMES = 1000;

/** The most rows that one operation may select again, where they are not copied but made into objects. */
export const MAX_REPEATED_ROWS = 1_000_000;

/** What an operator may set of what one operation may ask for. */
export interface OperationLimits {
  /** The most lexical tokens of a document (GraphQL specification, section 2.1.8). */
  readonly tokens: number;
  /** The most aliases of one operation; those of a fragment count wherever it is spread. */
  readonly aliases: number;
  /** The most entity references of one operation. */
  readonly representations: number;
  /** The most work of one operation: bytes of results in its response, and other work in the same unit. */
  readonly work: number;
}

/**
 * Says what of a document is more than is allowed; undefined where nothing is. To be asked before the document is
 * validated: that takes longer. Visits each field and each fragment once.
 */
export function checkDocumentLimits(
  document: DocumentNode,
  { aliases, tokens }: OperationLimits,
): GraphQLError | undefined {
  const { definitions } = document;
  const sizes = new Sizes(definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION));
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = sizes.of(definition.selectionSet, 1);
    if (size.levels > MAX_LEVELS) {
      return limitExceeded(`The operation has more than ${MAX_LEVELS} levels of selections and fragments.`, 400);
    }
    if (size.ownFields > MAX_ROOT_FIELDS) {
      return limitExceeded(`The operation has more than ${MAX_ROOT_FIELDS} fields on its root.`, 400);
    }
    if (size.aliases > aliases) {
      return limitExceeded(`The operation has more than ${aliases} aliases (MAX_ALIASES).`, 400);
    }
    if (size.fields > tokens) {
      return limitExceeded(
        `The operation has more than ${tokens} fields, fragments put in (MAX_DOCUMENT_TOKENS).`,
        400,
      );
    }
  }
  return undefined;
}

/** What the operation of one request has asked for so far, under all of its aliases. */
export class OperationBudget {
  /** What grows with the response. */
  readonly work: WorkBudget;
  readonly #limits: OperationLimits;
  readonly #selections: Selections;
  #representations = 0;
  #datasets = 0;
  #assetIds = 0;
  #repeatedRows = 0;
  #series = 0;
  #timeRanges: Set<string> | undefined;
  #selectedRows: WeakSet<object> | undefined;

  constructor(limits: OperationLimits, selections: Selections) {
    this.#limits = limits;
    this.#selections = selections;
    this.work = new WorkBudget(limits.work);
  }

  /** @throws GraphQLError REQUEST_LIMIT_EXCEEDED when these entity references are more than are left */
  spendRepresentations(count: number, info: GraphQLResolveInfo): void {
    const most = this.#limits.representations;
    this.#representations += count;
    if (this.#representations > most) {
      throw limitExceeded(`The operation has more than ${most} representations (MAX_REPRESENTATIONS).`);
    }
    this.spendFields(count, info);
  }

  /** @throws GraphQLError REQUEST_LIMIT_EXCEEDED when these dataset ids are more than are left */
  spendDatasets(count: number, info: GraphQLResolveInfo): void {
    this.#datasets += count;
    if (this.#datasets > MAX_DATASETS) {
      throw limitExceeded(`The operation names more than ${MAX_DATASETS} datasets.`);
    }
    this.spendFields(count, info);
  }

  /** @throws GraphQLError REQUEST_LIMIT_EXCEEDED when the asset ids of these filters are more than are left */
  spendAssetIds(count: number): void {
    this.#assetIds += count;
    if (this.#assetIds > MAX_ASSET_IDS) {
      throw limitExceeded(`The filters of the operation have more than ${MAX_ASSET_IDS} asset ids.`);
    }
  }

  /**
   * So many results or series are selected, of these time ranges.
   *
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED when they are more than are left
   */
  spendSeries(count: number, timeRanges: Iterable<TimeRange | undefined>): void {
    this.#series += count;
    if (this.#series > MAX_SERIES) {
      throw limitExceeded(`The operation selects more than ${MAX_SERIES} results of datasets and series of assets.`);
    }
    this.#timeRanges ??= new Set();
    for (const range of timeRanges) this.#timeRanges.add(`${range?.start} ${range?.stop}`);
    if (this.#timeRanges.size > MAX_TIME_RANGES) {
      throw limitExceeded(`The operation has more than ${MAX_TIME_RANGES} different time ranges.`);
    }
  }

  /** How many fields are selected on each object that a field returns. */
  fieldsOn(info: GraphQLResolveInfo): number {
    const { fields } = this.#selections.get('size', info, () => {
      const sizes = new Sizes(Object.values(info.fragments));
      const sets = info.fieldNodes.flatMap(({ selectionSet }) => selectionSet ?? []);
      return { fields: sets.reduce((sum, set) => sum + sizes.of(set, 1).fields, 0) };
    });
    return fields;
  }

  /** @throws GraphQLError REQUEST_LIMIT_EXCEEDED when the fields selected on so many objects are more than is left */
  spendFields(objects: number, info: GraphQLResolveInfo): void {
    this.spendWork(objects * this.fieldsOn(info) * UNITS_PER_FIELD);
  }

  /**
   * So many characters go through GraphQL execution, so many times.
   *
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED when they are more than is left
   */
  spendText(characters: number, times: number): void {
    this.spendWork(characters * times * UNITS_PER_CHARACTER);
  }

  /**
   * The texts of a dataset's metadata are sent, each at most so often. Once is free: how long they are is the service's doing.
   *
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED when they are more than is left
   */
  spendMetadata(metadata: object, copies: number): void {
    const times = this.work.markUsed(metadata) ? copies : copies - 1;
    if (times === 0) return;
    let length = 0;
    for (const value of Object.values(metadata)) if (typeof value === 'string') length += value.length;
    this.spendText(length, times);
  }

  /** The same for the attributes of an asset. */
  spendAttributes(datasetId: string, { assetId, attributeBytes = 0 }: AssetEntry, copies: number): void {
    const times = this.work.markUsed(JSON.stringify([datasetId, assetId])) ? copies : copies - 1;
    if (times > 0) this.spendText(attributeBytes, times);
  }

  /** @throws GraphQLError REQUEST_LIMIT_EXCEEDED when this is more work than is left */
  spendWork(units: number): void {
    if (!this.work.allows(units)) throw workExceeded(this.work.limit);
    this.work.spend(units);
  }

  /**
   * So many rows of a series are selected. The first time is free: how many there are is not the caller's doing.
   *
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED when rows selected again are more than are left
   */
  spendRows(series: object, count: number): void {
    this.#selectedRows ??= new WeakSet();
    if (this.#selectedRows.has(series)) this.#repeatedRows += count;
    this.#selectedRows.add(series);
    if (this.#repeatedRows > MAX_REPEATED_ROWS) {
      throw limitExceeded(`The operation selects more than ${MAX_REPEATED_ROWS} rows again, under further aliases.`);
    }
  }
}

/**
 * Puts the errors of execution under the limits, in place: a document that the parser gave up is said to be too large or
 * too deep, and of too many errors the first ones are kept and the others counted.
 */
export function limitErrors(list: GraphQLError[], { tokens }: OperationLimits, errors: OperationErrors): void {
  const [first] = list;
  if (first?.extensions.code === 'GRAPHQL_PARSE_FAILED') {
    if (first.message.startsWith('Syntax Error: Document contains more tha')) {
      list[0] = limitExceeded(`The document has more than ${tokens} tokens (MAX_DOCUMENT_TOKENS).`, 400);
    } else if (isStackOverflow(first)) {
      list[0] = limitExceeded('The document is nested too deeply to be parsed.', 400);
    }
  }
  errors.omit(list.splice(MAX_ERRORS).length);
}

/** The error that says how many others a response lacks; undefined where it has them all. */
export function omittedErrors({ omitted }: OperationErrors): GraphQLError | undefined {
  if (omitted === 0) return undefined;
  return limitExceeded(`An answer has at most ${MAX_ERRORS} errors; ${omitted} more were left out.`);
}

/** Private. The parser calls itself for each level of a document. */
function isStackOverflow(error: Error | undefined): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof GraphQLError && isStackOverflow(error.originalError);
}
