import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLError,
  type GraphQLResolveInfo,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { RowsFilter } from '../loaders/results.ts';
import { limitExceeded } from './errors.ts';

type TimeRange = NonNullable<RowsFilter['timeRange']>;

/** The most selection sets within one another; a fragment is one of them. The deepest introspection in use has 18. */
export const MOST_LEVELS = 30;

/** The most fields on the root of one operation, before those of one name are merged. */
export const MOST_ROOT_FIELDS = 100;

/** The most datasets that one operation may name, repeated ones included. */
export const MOST_DATASETS = 1000;

/** The most asset ids in all filters of one operation, repeated ones included. */
export const MOST_ASSET_IDS = 10_000;

/** The most results of datasets and series of assets that one operation may select, on all of its objects. */
export const MOST_SERIES = 5000;

/** The most different time ranges in one operation: each takes calls of its own. */
export const MOST_TIME_RANGES = 100;

/** The most aliases times the objects of the list that they are selected on. */
export const MOST_ALIASED = 250_000;

/** The most rows that one operation may select again, where they are not copied but made into objects. */
export const MOST_REPEATED_ROWS = 1_000_000;

/** The most errors in one answer. */
export const MOST_ERRORS = 1000;

/** What an operator may set of what one operation may ask for. */
export interface OperationLimits {
  /** The most lexical tokens of a document (GraphQL specification, section 2.1.8). */
  readonly tokens: number;
  /** The most aliases of one operation; those of a fragment count wherever it is spread. */
  readonly aliases: number;
  /** The most entity references of one operation. */
  readonly representations: number;
}

/** What a selection set comes to when its fragments are put into it. */
interface Size {
  readonly levels: number;
  readonly aliases: number;
  /** Of the set itself, not of the sets within. */
  readonly fields: number;
}

const nothing: Size = { levels: 0, aliases: 0, fields: 0 };

/**
 * Says what of a document is more than is allowed; undefined where nothing is. To be asked before the document is
 * validated: that takes longer. Visits each field and each fragment once.
 */
export function findExcess(document: DocumentNode, { aliases }: OperationLimits): GraphQLError | undefined {
  const { definitions } = document;
  const sizes = new Sizes(definitions.filter((definition) => definition.kind === Kind.FRAGMENT_DEFINITION));
  for (const definition of definitions) {
    if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
    const size = sizes.of(definition.selectionSet, 1);
    if (size.levels > MOST_LEVELS) {
      return limitExceeded(`The operation has more than ${MOST_LEVELS} levels of selections and fragments.`, 400);
    }
    if (size.fields > MOST_ROOT_FIELDS) {
      return limitExceeded(`The operation has more than ${MOST_ROOT_FIELDS} fields on its root.`, 400);
    }
    if (size.aliases > aliases) {
      return limitExceeded(`The operation has more than ${aliases} aliases (MAX_ALIASES).`, 400);
    }
  }
  return undefined;
}

const aliasesKnown = new WeakMap<FieldNode, number>();

/** Private. How many aliases there are in the selection of a field. Kept as long as its document. */
function aliasesIn({ fieldNodes, fragments }: GraphQLResolveInfo): number {
  const [first] = fieldNodes;
  const known = first && aliasesKnown.get(first);
  if (known !== undefined) return known;
  const sizes = new Sizes(Object.values(fragments));
  const aliases = fieldNodes
    .map(({ selectionSet }) => (selectionSet === undefined ? 0 : sizes.of(selectionSet, 1).aliases))
    .reduce((sum, count) => sum + count, 0);
  if (first !== undefined) aliasesKnown.set(first, aliases);
  return aliases;
}

/** Private. The sizes of selection sets. Numbers that grow exponentially end at Infinity, which is too large as well. */
class Sizes {
  readonly #fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly #known = new Map<string, Size>();

  constructor(fragments: readonly FragmentDefinitionNode[]) {
    this.#fragments = new Map(fragments.map((fragment) => [fragment.name.value, fragment]));
  }

  /** @param level how many sets this one makes with those around it; what is too deep is not looked into */
  of({ selections }: SelectionSetNode, level: number): Size {
    let levels = 1;
    let aliases = 0;
    let fields = 0;
    if (level > MOST_LEVELS) return { levels, aliases, fields };
    for (const selection of selections) {
      const within = this.#within(selection, level + 1);
      levels = Math.max(levels, 1 + within.levels);
      aliases += within.aliases;
      if (selection.kind !== Kind.FIELD) fields += within.fields;
      else {
        fields += 1;
        if (selection.alias !== undefined) aliases += 1;
      }
    }
    return { levels, aliases, fields };
  }

  #within(selection: SelectionNode, level: number): Size {
    if (selection.kind !== Kind.FRAGMENT_SPREAD) {
      return selection.selectionSet === undefined ? nothing : this.of(selection.selectionSet, level);
    }
    const name = selection.name.value;
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const fragment = this.#fragments.get(name);
    // Validation refuses a fragment that is not there, or that spreads itself.
    this.#known.set(name, nothing);
    const size = fragment === undefined ? nothing : this.of(fragment.selectionSet, level);
    this.#known.set(name, size);
    return size;
  }
}

/** What the operation of one request has asked for so far, under all of its aliases. */
export class OperationBudget {
  readonly #limits: OperationLimits;
  #representations = 0;
  #datasets = 0;
  #assetIds = 0;
  #repeatedRows = 0;
  #series = 0;
  #aliased = 0;
  readonly #timeRanges = new Set<string>();
  #selectedRows: WeakSet<object> | undefined;

  constructor(limits: OperationLimits) {
    this.#limits = limits;
  }

  /** @throws GraphQLError REQUEST_LIMIT_EXCEEDED when these entity references are more than are left */
  spendRepresentations(count: number, info: GraphQLResolveInfo): void {
    const most = this.#limits.representations;
    this.#spendAliases(count, info);
    this.#representations += count;
    if (this.#representations > most) {
      throw limitExceeded(`The operation has more than ${most} representations (MAX_REPRESENTATIONS).`);
    }
  }

  /** @throws GraphQLError REQUEST_LIMIT_EXCEEDED when these dataset ids are more than are left */
  spendDatasets(count: number, info: GraphQLResolveInfo): void {
    this.#spendAliases(count, info);
    this.#datasets += count;
    if (this.#datasets > MOST_DATASETS) {
      throw limitExceeded(`The operation names more than ${MOST_DATASETS} datasets.`);
    }
  }

  /** @throws GraphQLError REQUEST_LIMIT_EXCEEDED when the asset ids of these filters are more than are left */
  spendAssetIds(count: number): void {
    this.#assetIds += count;
    if (this.#assetIds > MOST_ASSET_IDS) {
      throw limitExceeded(`The filters of the operation have more than ${MOST_ASSET_IDS} asset ids.`);
    }
  }

  /**
   * So many results or series are selected, of these time ranges.
   *
   * @throws GraphQLError REQUEST_LIMIT_EXCEEDED when they are more than are left
   */
  spendSeries(count: number, timeRanges: Iterable<TimeRange | undefined>): void {
    this.#series += count;
    if (this.#series > MOST_SERIES) {
      throw limitExceeded(`The operation selects more than ${MOST_SERIES} results of datasets and series of assets.`);
    }
    for (const range of timeRanges) this.#timeRanges.add(`${range?.start} ${range?.stop}`);
    if (this.#timeRanges.size > MOST_TIME_RANGES) {
      throw limitExceeded(`The operation has more than ${MOST_TIME_RANGES} different time ranges.`);
    }
  }

  #spendAliases(objects: number, info: GraphQLResolveInfo): void {
    this.#aliased += objects * aliasesIn(info);
    if (this.#aliased > MOST_ALIASED) {
      throw limitExceeded(`The operation selects more than ${MOST_ALIASED} aliases on the objects of its lists.`);
    }
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
    if (this.#repeatedRows > MOST_REPEATED_ROWS) {
      throw limitExceeded(`The operation selects more than ${MOST_REPEATED_ROWS} rows again, under further aliases.`);
    }
  }
}

/**
 * Puts the errors of an answer under the limits, in place: a document that the parser gave up is said to be too large or
 * too deep, and of too many errors the first ones are kept, with one more that says how many were left out.
 */
export function limitErrors(errors: GraphQLError[], { tokens }: OperationLimits): void {
  const [first] = errors;
  if (first?.extensions.code === 'GRAPHQL_PARSE_FAILED') {
    if (first.message.startsWith('Syntax Error: Document contains more tha')) {
      errors[0] = limitExceeded(`The document has more than ${tokens} tokens (MAX_DOCUMENT_TOKENS).`, 400);
    } else if (isStackOverflow(first)) {
      errors[0] = limitExceeded('The document is nested too deeply to be parsed.', 400);
    }
  }
  const surplus = errors.length - MOST_ERRORS;
  if (surplus > 0) {
    const omitted = limitExceeded(`An answer has at most ${MOST_ERRORS} errors; ${surplus} more were left out.`);
    errors.splice(MOST_ERRORS, surplus, omitted);
  }
}

/** Private. The parser calls itself for each level of a document. */
function isStackOverflow(error: Error | undefined): boolean {
  if (error instanceof RangeError) return true;
  return error instanceof GraphQLError && isStackOverflow(error.originalError);
}
