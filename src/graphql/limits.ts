import { type DocumentNode, type GraphQLError, type GraphQLResolveInfo, type GraphQLSchema, Kind } from 'graphql';
import type { RowsFilter } from '../loaders/loaders.ts';
import { type AssetAttributes, WorkBudget } from '../results/results.ts';
import { Comparisons } from './documents/comparisons.ts';
import { IntrospectionSize } from './documents/introspection-size.ts';
import { limitExceeded, workExceeded } from './errors/errors.ts';
import { MAX_ASSET_IDS } from './input.ts';
import { type BoundAsset, type BoundDataset, needsCalls } from './plan/dataset-plan.ts';
import type { RequestPlan } from './plan/operation-plan.ts';
import { jsonBytesIn, MAX_LEVELS, Sizes } from './plan/selection-size.ts';

type TimeRange = NonNullable<RowsFilter['timeRange']>;

/** The most root fields of one operation, before fields are merged. */
const MAX_ROOT_FIELDS = 100;

/** The most comparisons of fields with the same name in one document: those of a field that is selected 500 times. */
const MAX_COMPARISONS = 125_500;

/** The most values that one operation gets by introspection: almost five times those of the query that tools send. */
const MAX_INTROSPECTION = 15_000;

/** The most dataset ids in one operation, with repetitions. */
const MAX_DATASETS = 1000;

/** The most results of datasets and series of assets that one operation may select, on all objects together. */
const MAX_SERIES = 5000;

/** The most different time ranges in one operation. Each needs its own calls. */
const MAX_TIME_RANGES = 100;

/** The cost of a field on an object of a list, in units of MAX_OPERATION_WORK. */
const UNITS_PER_FIELD = 2_500;

/** The cost of a character that passes through GraphQL execution. */
const UNITS_PER_CHARACTER = 20;

/** The cost of a single asset that needs calls: they are planned, and it is searched in the responses. */
const UNITS_PER_ASSET = 40_000;

/** The cost of encrypting a download ticket. */
export const UNITS_PER_TICKET = 150_000;

/** The limits of one operation that are settings. */
export interface OperationLimits {
  /** The most lexical tokens of a document (GraphQL specification, section 2.1.8), and the most lines. */
  readonly tokens: number;
  /** The most aliases of one operation. The aliases of a fragment count for each spread. */
  readonly aliases: number;
  /** The most entity references of one operation. */
  readonly representations: number;
  /** The most work of one operation, in units of WorkBudget. */
  readonly work: number;
}

/** GraphQL specification, section 2.1.2. */
const lineTerminator = /\r\n|\n|\r/;

/**
 * Checks the limits of a document. Returns the error, or undefined. Call it before validation, which takes longer. It visits
 * each field and each fragment once. Lines are limited because graphql-js counts those before each error.
 *
 * @param source the text of the document
 * @param schema what introspection reads
 */
export function checkDocumentLimits(
  { definitions }: DocumentNode,
  source: string,
  { aliases, tokens }: OperationLimits,
  schema: GraphQLSchema,
): GraphQLError | undefined {
  if (source.split(lineTerminator, tokens + 1).length > tokens) {
    return limitExceeded(`The document has more than ${tokens} lines (MAX_DOCUMENT_TOKENS).`, 400);
  }
  const fragments = new Map(
    definitions
      .filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION)
      .map((fragment) => [fragment.name.value, fragment]),
  );
  const sizes = new Sizes(fragments);
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = sizes.of(definition.selectionSet, 1);
    if (size.levels > MAX_LEVELS) {
      return limitExceeded(`The operation has more than ${MAX_LEVELS} levels of selections and fragments.`, 400);
    }
    if (size.ownFields > MAX_ROOT_FIELDS) {
      return limitExceeded(`The operation has more than ${MAX_ROOT_FIELDS} root fields.`, 400);
    }
    if (size.aliases > aliases) {
      return limitExceeded(`The operation has more than ${aliases} aliases (MAX_ALIASES).`, 400);
    }
    if (size.fields > tokens) {
      return limitExceeded(
        `The operation has more than ${tokens} fields, with fragments expanded (MAX_DOCUMENT_TOKENS).`,
        400,
      );
    }
  }
  // Validation also compares the fields of fragments that are not used.
  const comparisons = new Comparisons(fragments, MAX_COMPARISONS);
  for (const definition of definitions) if ('selectionSet' in definition) comparisons.add([definition.selectionSet]);
  if (comparisons.areTooMany) {
    return limitExceeded('The document selects fields under the same name too often.', 400);
  }
  const introspection = new IntrospectionSize(schema, fragments, MAX_INTROSPECTION);
  for (const definition of definitions) {
    if (
      definition.kind === Kind.OPERATION_DEFINITION &&
      introspection.of(definition.selectionSet) > MAX_INTROSPECTION
    ) {
      return limitExceeded(`The operation asks for more than ${MAX_INTROSPECTION} values of the schema.`, 400);
    }
  }
  return undefined;
}

/** The work for a single asset. */
function unitsOf(asset: BoundAsset): number {
  return needsCalls(asset) ? UNITS_PER_ASSET : asset.plan.fields * UNITS_PER_FIELD;
}

/** The use of limits by one operation so far, under all of its aliases. */
export class OperationBudget {
  /** The work that grows with the response. */
  readonly work: WorkBudget;
  readonly #limits: OperationLimits;
  readonly #plan: RequestPlan;
  #representations = 0;
  #datasets = 0;
  #assetIds = 0;
  #series = 0;
  #timeRanges: Set<string> | undefined;

  constructor(limits: OperationLimits, plan: RequestPlan) {
    this.#limits = limits;
    this.#plan = plan;
    this.work = new WorkBudget(limits.work);
  }

  /**
   * @param distinct how many are different
   * @param count all, with repetitions
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED if there are too many entity references
   */
  spendRepresentations(distinct: number, count: number, info: GraphQLResolveInfo): void {
    const max = this.#limits.representations;
    this.#representations += distinct;
    if (this.#representations > max) {
      throw limitExceeded(`The operation has more than ${max} different representations (MAX_REPRESENTATIONS).`);
    }
    this.spendFields(count, info);
  }

  /**
   * @param fields how many are selected on each dataset
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED if there are too many dataset ids
   */
  spendDatasets(count: number, fields: number): void {
    this.#datasets += count;
    if (this.#datasets > MAX_DATASETS) {
      throw limitExceeded(`The operation names more than ${MAX_DATASETS} datasets.`);
    }
    this.spendWork(count * fields * UNITS_PER_FIELD);
  }

  /**
   * Charges the calls that a selection requires for this many datasets.
   *
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED
   */
  spendCalls({ plan, assetIds, series, timeRanges, assets }: BoundDataset, datasets: number): void {
    if (plan.bound !== undefined) return;
    this.#assetIds += datasets * assetIds;
    if (this.#assetIds > MAX_ASSET_IDS) {
      throw limitExceeded(`The filters of the operation have more than ${MAX_ASSET_IDS} asset ids.`);
    }
    this.spendSeries(datasets * series, timeRanges);
    this.spendWork(datasets * assets.reduce((sum, { asset }) => sum + unitsOf(asset), 0));
  }

  /** Charges a single asset. @throws GraphQLError REQUEST_LIMIT_EXCEEDED */
  spendAsset(asset: BoundAsset): void {
    this.spendWork(unitsOf(asset));
  }

  /**
   * Counts selected results and series, and their time ranges.
   *
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED if there are too many
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

  /** Charges the selected fields of this many objects. @throws GraphQLError REQUEST_LIMIT_EXCEEDED */
  spendFields(objects: number, info: GraphQLResolveInfo): void {
    this.spendWork(objects * this.#plan.fieldsOn(info) * UNITS_PER_FIELD);
  }

  /**
   * Charges characters that pass through GraphQL execution this many times.
   *
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED
   */
  spendText(characters: number, times: number): void {
    this.spendWork(characters * times * UNITS_PER_CHARACTER);
  }

  /**
   * Charges the strings of a dataset's metadata. The service decides how long they are, so the first copy costs its bytes;
   * each further one passes through GraphQL execution.
   *
   * @param copies how often the same field is selected, at most
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED
   */
  spendMetadata(metadata: object, copies: number): void {
    this.#spendCopies(metadata, jsonBytesIn(metadata), copies);
  }

  /** Charges the attributes of an asset in the same way. */
  spendAttributes(datasetId: string, { assetId, bytes }: AssetAttributes, copies: number): void {
    this.#spendCopies(JSON.stringify([datasetId, assetId]), bytes, copies);
  }

  #spendCopies(part: object | string, length: number, copies: number): void {
    const isFirst = this.work.countUse(part) === 0;
    if (isFirst) this.spendWork(length);
    this.spendText(length, isFirst ? copies - 1 : copies);
  }

  /** Checks work that is charged when it is done. @throws GraphQLError REQUEST_LIMIT_EXCEEDED if it will be too much */
  checkWork(units: number): void {
    if (this.work.spent + units > this.work.limit) throw workExceeded(this.work.limit);
  }

  /** Charges work. @throws GraphQLError REQUEST_LIMIT_EXCEEDED */
  spendWork(units: number): void {
    if (!this.work.reserve(units)) throw workExceeded(this.work.limit);
  }
}
