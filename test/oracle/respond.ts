import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  GraphQLError,
  type GraphQLResolveInfo,
  responsePathAsArray,
} from 'graphql';
import { collectSubfields } from 'graphql/execution/collectFields.js';
import { type JsonObject, type Results, readMetadata, readResults } from './body.ts';
import { datasetOf, entityOf } from './objects.ts';
import { isProblem, type Problem } from './rows.ts';
import { schema } from './schema.ts';

/**
 * The whole response to an operation, from the bodies of the REST service alone: graphql-js executes it over objects of plain
 * functions. What is computed is a `Check` in the data.
 */

/** A response of the REST service. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  /** What is sent, if that is not `body`: it is no UTF-8. */
  readonly bytes?: Buffer;
}

/** A filter of results, as the service gets it. */
export interface Filter {
  readonly assetIds?: readonly string[] | undefined;
  readonly start?: bigint | undefined;
  readonly stop?: bigint | undefined;
}

/** What the REST service sends. A filter always has the same response. */
export interface Service {
  metadata(datasetId: string): Reply;
  results(datasetId: string, filter: Filter): Reply;
}

/** What a response must be. */
export interface Expected {
  readonly result: ExecutionResult;
  /**
   * Rows are read where they are selected: only then it is known that entries of their lists are omitted.
   * For each dataset with omitted list entries, the fields that use its results. A response with omitted entries is an error beside
   * the data, at the first field that uses it. Which fields share a call is not the oracle's business: at least one has the error.
   */
  readonly omissions: readonly ReadonlySet<string>[];
  /** Whether a field may have such an error: a call for more than it needs may serve it. */
  mayOmit(path: string): boolean;
}

type Needs = 'rows' | 'attributes';

/** A response that a field reads. */
interface Read {
  readonly datasetId: string;
  readonly filter: Filter;
  readonly needs: Needs;
  readonly omitted: boolean;
  readonly omittedInRows: boolean;
}

/** The responses that one operation has, each read once. */
export class Reader {
  readonly #service: Service;
  readonly #metadata = new Map<string, JsonObject | Problem>();
  readonly #results = new Map<string, Results | Problem>();
  readonly #uses = new Map<string, Set<string>>();
  readonly #reads: Read[] = [];

  constructor(service: Service) {
    this.#service = service;
  }

  metadata(datasetId: string): JsonObject | Problem {
    const known = this.#metadata.get(datasetId) ?? read(this.#service.metadata(datasetId), readMetadata);
    this.#metadata.set(datasetId, known);
    return known;
  }

  /**
   * @param info the field that uses them
   * @param needs attributes of one asset come with rows of any time range
   */
  results(datasetId: string, filter: Filter, info: GraphQLResolveInfo, needs: Needs = 'rows'): Results | Problem {
    const { assetIds, start = '', stop = '' } = filter;
    const key = JSON.stringify([datasetId, assetIds, `${start}..${stop}`]);
    const known = this.#results.get(key) ?? read(this.#service.results(datasetId, filter), readResults);
    this.#results.set(key, known);
    const { omitted, omittedInRows } = isProblem(known) ? { omitted: false, omittedInRows: false } : known;
    this.#reads.push({ datasetId, filter, needs, omitted, omittedInRows });
    const uses = this.#uses.get(datasetId) ?? new Set();
    this.#uses.set(datasetId, uses.add(responsePathAsArray(info.path).join('.')));
    return known;
  }

  /** See `Expected`. */
  get omissions(): ReadonlySet<string>[] {
    const incomplete = this.#reads.filter((each) => each.omitted && !this.#comesWithRange(each));
    return [...new Set(incomplete.map(({ datasetId }) => this.#uses.get(datasetId) as Set<string>))];
  }

  /** Whether attributes may come with rows of a time range, in which perhaps nothing is omitted. */
  #comesWithRange({ datasetId, needs, filter: { assetIds: [assetId = ''] = [] } }: Read): boolean {
    if (needs === 'rows') return false;
    return this.#reads.some(({ filter: { assetIds, start, stop }, ...other }) => {
      const isRange = start !== undefined || stop !== undefined;
      return isRange && other.datasetId === datasetId && (assetIds === undefined || assetIds.includes(assetId));
    });
  }

  mayOmit(path: string): boolean {
    const isOmitted = (datasetId: string) => {
      const all = read(this.#service.results(datasetId, {}), readResults);
      const isRead = this.#reads.some((each) => (each.omitted || each.omittedInRows) && each.datasetId === datasetId);
      return isRead || (!isProblem(all) && (all.omitted || all.omittedInRows));
    };
    return [...this.#uses].some(([datasetId, uses]) => uses.has(path) && isOmitted(datasetId));
  }
}

const codes: Readonly<Record<number, string>> = {
  401: 'UNAUTHENTICATED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  405: 'UPSTREAM_CONTRACT_ERROR',
  409: 'CONFLICT',
};

export function read<T>({ status, body }: Reply, decode: (body: string) => T | undefined): T | Problem {
  const invalid = { code: 'UPSTREAM_INVALID_RESPONSE', text: '' };
  return status === 200 ? (decode(body) ?? invalid) : { code: codes[status] ?? invalid.code, text: '' };
}

/** Whether there is nothing for this client, so that the object itself is null. */
export const isMissing = ({ code }: Problem) => code === 'NOT_FOUND' || code === 'UNAUTHENTICATED';

/** An error of a field. The message has the text of the problem. */
export function errorOf({ code, text }: Problem): GraphQLError {
  return new GraphQLError(text, { extensions: { code } });
}

export const badInput: Problem = { code: 'BAD_USER_INPUT', text: '' };

/** The fields that are selected on what a field gives, with what `args` reads of each. */
export function selectedOn(info: GraphQLResolveInfo, type: string) {
  const { fragments, variableValues, fieldNodes } = info;
  const parent = info.schema.getType(type) as never;
  const fields = collectSubfields(info.schema, fragments, variableValues, parent, fieldNodes);
  return [...fields.values()].map(([node]) => node as NonNullable<typeof node>);
}

export function respond(document: DocumentNode, variables: Record<string, unknown>, service: Service): Expected {
  const reader = new Reader(service);
  const root = {
    dataset: ({ id }: { id: string }, _: unknown, info: GraphQLResolveInfo) => datasetOf(id, reader, info),
    datasetsByIds: ({ ids }: { ids: string[] }, _: unknown, info: GraphQLResolveInfo) =>
      ids.map((id) => datasetOf(id, reader, info)),
    _entities: ({ representations }: { representations: JsonReference[] }, _: unknown, info: GraphQLResolveInfo) =>
      representations.map((reference) => entityOf(reference, reader, info)),
  };
  const result = execute({
    schema,
    document,
    rootValue: root,
    variableValues: variables,
    typeResolver: (value) => (value as { __typename: string }).__typename,
  }) as ExecutionResult;
  return { result, omissions: reader.omissions, mayOmit: (path) => reader.mayOmit(path) };
}

/** A reference to an entity. */
export interface JsonReference {
  readonly __typename: string;
  readonly id?: unknown;
  readonly datasetId?: unknown;
  readonly assetId?: unknown;
}
