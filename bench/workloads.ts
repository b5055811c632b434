import { type ContestantName, ofAnySize, ofSeveralCalls, ofSmallSize } from './contestants.ts';
import { assetId } from './dataset.ts';
import type { RestCall } from './rest-call.ts';
import { ofManyDatasets, ofManyDocuments } from './variants.ts';

/** A GraphQL request. */
export interface Query {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Work to measure: one query, or a mixture of several. */
export interface Work {
  readonly title: string;
  /** The fewest REST calls that a response needs; undefined if they differ. */
  readonly restCalls?: number;
  /** The number of requests in flight. */
  readonly connections: number;
  /** A request kept in flight. The work is then sent at even intervals. */
  readonly background?: Query;
  /** The contestants to measure, if they can serve it. */
  readonly contestants: readonly ContestantName[];
}

/** Work that repeats one query, or variants of it with responses of the same size. */
export interface Workload extends Work {
  readonly query: Query;
  /** The queries that are sent in turn, with their REST calls. By default there is only `query`. */
  readonly variants?: readonly Pick<Workload, 'query' | 'rest'>[];
  /** The REST calls that it needs. Without them only contestants with GraphQL are measured. */
  readonly rest?: readonly [RestCall, ...RestCall[]] | undefined;
  readonly restCalls: number;
  /** The trace of the client (W3C Trace Context). */
  readonly traceparent?: string;
  /** The number of errors in the response; by default none. */
  readonly errors?: number;
  /**
   * How far a number may be from that of another contestant, relative to it: sums of floating-point numbers depend on their order.
   * By default they are equal.
   */
  readonly tolerance?: number;
  /** The query of a file's URL: the subgraph is asked for the results of the dataset as a file, instead of the query. */
  readonly file?: string;
}

const metadataFields = `id name description assetCount attributionText attributionFile sharing processing { id name }
  source { id name } startDate stopDate startDateTime stopDateTime`;
const assetFields =
  'assetId name version categories centroid { latitude longitude } surfaceAreaM2 parent { assetId name version }';
const rows = 'rows { valueDate metrics { name value } }';
const columns = 'columns { valueDates metrics { name values } }';

/** A selection of a dataset's results. */
export function nodes(selection: string): string {
  return `results { processingId sourceId series { nodes { ${selection} } } }`;
}

/** All fields of results. */
export const allRows = nodes(`version asset { ${assetFields} } ${rows}`);

/** An operation on one dataset. */
export function ofDataset(id: string, selection: string): Query {
  return { document: `query Bench($id: ID!) { dataset(id: $id) { ${selection} } }`, variables: { id } };
}

function getSummary(id: string): RestCall {
  return { method: 'GET', path: `/v1/collection/dataset/summary/${id}`, body: null };
}

function postResults(id: string): RestCall {
  return { method: 'POST', path: `/v1/processingresult/dataset/${id}`, body: '{}' };
}

function allRowsOf(id: string, title: string): Workload {
  const query = ofDataset(id, allRows);
  return { title, query, rest: [postResults(id)], restCalls: 1, connections: 1, contestants: ofAnySize };
}

function aliases(count: number, selection: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => `a${index}: ${selection(index)}`).join(' ');
}

/** A dataset whose results have 71 MB. */
export const LARGE = '1000x365x3';

/** Metadata alone. */
export const metadata: Workload = ofManyDatasets({
  title: 'metadata',
  query: ofDataset('10x10x3', metadataFields),
  rest: [getSummary('10x10x3')],
  restCalls: 1,
  connections: 32,
  contestants: ofSmallSize,
});

/** The same right after the start. */
export const firstMetadata: Workload = {
  ...metadata,
  title: 'metadata, in the first ten seconds',
  contestants: ['subgraph', 'mercurius', 'jit', 'relay'],
};

/** Operations of 8 kB in rotation: metadata under forty aliases. */
export const documents: readonly Workload[] = [1, 10, 100, 300, 1000].map((count) =>
  ofManyDocuments(
    {
      title: `operations of 8 kB, ${count} of them in turn`,
      query: ofDataset('10x10x3', 'id'),
      restCalls: 1,
      connections: 8,
      contestants: ['subgraph', 'ordinary'],
    },
    count,
    (number) => {
      const name = `a${String(number).padStart(4, '0')}`;
      const aliased = Array.from(
        { length: 40 },
        (_, index) => `${name}x${index}: dataset(id: $id) { ${metadataFields} }`,
      );
      return `query Bench($id: ID!) { ${aliased.join(' ')} }`;
    },
  ),
);

/** The same, by a subgraph with metrics too. */
export const measuredMetadata: Workload = {
  ...metadata,
  title: 'metadata, with metrics or without',
  contestants: ['subgraph', 'metrics'],
};

/**
 * The same, traced or not. One process does both, because two of them differ by more than what traces cost. Both read a
 * `traceparent`: a trace of zeros is not valid, so a new one begins, which may be sampled.
 */
export const tracedMetadata: Workload = {
  ...metadata,
  title: 'metadata, 1 % of the requests traced',
  traceparent: `00-${'0'.repeat(32)}-${'0'.repeat(16)}-00`,
  contestants: ['traces'],
};
export const untracedMetadata: Workload = {
  ...tracedMetadata,
  title: 'metadata, no request traced',
  traceparent: `00-${'1'.repeat(32)}-${'1'.repeat(16)}-00`,
};

/** A small dataset's results and metadata in one query. */
export const small: Workload = ofManyDatasets({
  title: '10x10x3 and metadata',
  query: ofDataset('10x10x3', `${metadataFields} ${allRows}`),
  rest: [getSummary('10x10x3'), postResults('10x10x3')],
  restCalls: 2,
  connections: 32,
  contestants: ofSeveralCalls,
});

/** A medium dataset's results, everything selected. */
export const middle: Workload = { ...allRowsOf('200x50x5', '200x50x5'), connections: 8 };

/** A large dataset's results, everything selected. */
export const large = allRowsOf(LARGE, LARGE);

/** The same fields in an order in which they pass to the client while they arrive. */
export function passing(id: string, title: string): Workload {
  const document = `results { series { nodes { version asset { ${assetFields} } ${rows} } } processingId sourceId }`;
  return { ...allRowsOf(id, title), query: ofDataset(id, document), contestants: ['subgraph', 'pipe'] };
}
export const largePassing = passing(LARGE, `${LARGE} that passes`);

/** The same data as columns. */
export const largeColumns: Workload = {
  title: `${LARGE} as columns`,
  query: ofDataset(LARGE, nodes(`version asset { ${assetFields} } ${columns}`)),
  restCalls: 1,
  connections: 1,
  contestants: ofAnySize,
};

/** The same with one odd asset: it has a text for a number in one row, and a number for a date in another. */
export const largeOdd: Workload = {
  ...ofSubgraph(allRowsOf('one-odd-asset', `${LARGE}, one odd asset in a thousand`)),
  errors: 2,
};

/** A few fields of the same. */
export const largeNames: Workload = {
  title: `${LARGE}, ids and names only`,
  query: ofDataset(LARGE, nodes('asset { assetId name }')),
  restCalls: 1,
  connections: 1,
  contestants: ofAnySize,
};

/** Selections of what is computed from rows. */
export const statistics = `statistics {
  name count nullCount mean standardDeviation
  minimum { value valueDate } maximum { value valueDate } first { value valueDate } last { value valueDate }
}`;
export const months = 'periods(every: MONTH) { dates metrics { name counts sums means minimums maximums } }';
export const byDate = 'byDate { dates metrics { name counts means minimums maximums quantiles(of: [0.1, 0.5, 0.9]) } }';

/** What is computed from the same rows: answers that are many times smaller. */
function computed(title: string, document: string): Workload {
  return {
    title: `${LARGE}, ${title}`,
    query: ofDataset(LARGE, document),
    restCalls: 1,
    connections: 1,
    contestants: ['subgraph', 'ordinary'],
    tolerance: 1e-9,
  };
}
export const largeStatistics = computed('statistics', nodes(`asset { assetId } ${statistics}`));
export const largeMonths = computed('months', nodes(`asset { assetId } ${months}`));
export const largeByDate = computed('by date', `results { ${byDate} }`);
export const largeTotals = computed('statistics of all', `results { ${statistics} }`);
export const largePoints: Workload = {
  ...computed('100 points', nodes('asset { assetId } columns(points: 100) { valueDates metrics { name values } }')),
  contestants: ['subgraph'],
};

const twentyIds = Array.from({ length: 20 }, (_, index) => `${index + 1}x1x1`);

/** The same results as a file. */
export const largeFile: Workload = {
  ...allRowsOf(LARGE, `${LARGE} as a CSV file`),
  file: 'format=csv',
  contestants: ['subgraph', 'pipe'],
};

/** Metadata of one dataset under twenty aliases, and of twenty other datasets. */
export const manyDatasets: Workload = ofManyDatasets({
  title: '20 aliases and 20 datasets',
  query: {
    document: `query Bench($id: ID!, $ids: [ID!]!) {
      ${aliases(20, () => `dataset(id: $id) { ${metadataFields} }`)}
      datasetsByIds(ids: $ids) { ${metadataFields} }
    }`,
    variables: { id: '10x10x3', ids: twentyIds },
  },
  rest: [getSummary('10x10x3'), ...twentyIds.map(getSummary)],
  restCalls: 21,
  connections: 16,
  contestants: ofSeveralCalls,
});

/** Every fourth asset of a medium dataset, selected one by one. */
export const singleAssets: Workload = {
  title: '50 single assets of 200x50x5',
  query: ofDataset(
    '200x50x5',
    aliases(50, (index) => `asset(assetId: "${assetId(index * 4)}") { assetId name series { ${rows} } }`),
  ),
  restCalls: 1,
  connections: 8,
  contestants: ofAnySize,
};

/** Ten assets of five datasets in a hundred time ranges, each of which needs a call. */
export const manyCalls: Workload = {
  title: '500 calls of 10 ids',
  query: {
    document: `query Bench($ids: [ID!]!, $assetIds: [ID!]!) { datasetsByIds(ids: $ids) {
      ${aliases(100, (start) => `results(filter: { assetIds: $assetIds, timeRange: { start: ${start} } }) { processingId }`)}
    } }`,
    variables: {
      ids: twentyIds.slice(0, 5),
      assetIds: Array.from({ length: 10 }, (_, index) => assetId(index)),
    },
  },
  restCalls: 500,
  connections: 2,
  contestants: ['subgraph'],
};

/** Metadata while large responses are in flight. */
export const inFlight: Workload = {
  title: `metadata while ${LARGE} is in flight`,
  query: metadata.query,
  restCalls: 1,
  connections: 1,
  background: large.query,
  contestants: ['subgraph', 'ordinary'],
};

function ofSubgraph(workload: Workload): Workload {
  return { ...workload, contestants: ['subgraph'] };
}

/** One, four and sixteen times the data. */
export const growth = ['62x365x3', '250x365x3', LARGE].map((id) => ofSubgraph(allRowsOf(id, `growth: ${id}`)));

/** The large dataset with the fields of its rows in another order. */
export const otherOrder = ofSubgraph(allRowsOf(`${LARGE}-alphabetical`, `${LARGE}, other order of fields`));
