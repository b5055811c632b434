import { type RootFields, withRootFields } from '../../src/core/root-fields.ts';

/** The periods that values can be computed for. */
export type PeriodUnit = 'day' | 'week' | 'month' | 'quarter' | 'year';

/** What to query of the values of each asset: the values, in at most so many rows, or what is computed from them. */
export type Values =
  | { readonly kind: 'columns'; readonly points?: number | undefined }
  | { readonly kind: 'periods'; readonly every: PeriodUnit }
  | { readonly kind: 'statistics' };

/** What to query of a dataset. */
export interface Question {
  readonly datasetId: string;
  /** Only these assets; empty: all. */
  readonly assetIds: readonly string[];
  /** Only these metrics; empty: all. */
  readonly metrics: readonly string[];
  readonly from: Date | undefined;
  readonly to: Date | undefined;
  /** Whether to query the metadata of the dataset and the attributes of its assets. */
  readonly description: boolean;
  /** What to query of the values of the metrics; undefined: nothing. */
  readonly values: Values | undefined;
}

const METADATA = `
    description assetCount sharing attributionText attributionFile
    processing { id name } source { id name }
    startDate stopDate startDateTime stopDateTime`;

const ASSETS = `
      asset { assetId name categories centroid { latitude longitude } surfaceAreaM2 parent { assetId name version } }
      version rowCount metricNames`;

const SERIES = `
      asset { assetId name }
      version rowCount metricNames`;

const STATISTICS = `
      statistics(metrics: $metrics) {
        name count nullCount sum mean standardDeviation
        minimum { value valueDate } maximum { value valueDate } first { value valueDate } last { value valueDate }
      }`;

/** The selection of values, in their order in a response. */
function selectionOf(values: Values): string {
  if (values.kind === 'statistics') return STATISTICS;
  if (values.kind === 'columns') {
    const points = values.points === undefined ? '' : `, points: ${values.points}`;
    return `
      columns(metrics: $metrics${points}) { valueDates metrics { name values } }`;
  }
  return `
      periods(every: ${values.every.toUpperCase()}, metrics: $metrics) {
        dates metrics { name counts sums means standardDeviations minimums maximums }
      }`;
}

/**
 * The GraphQL request as the body of a POST. It names only built-in types, because SCHEMA_NAMES renames those of the
 * subgraph. So the time range and the period are literals in the document, not variables.
 */
export function requestOf(question: Question, fields: RootFields): string {
  const { datasetId, assetIds, metrics, from, to, description, values } = question;
  const bounds = [
    ...(from === undefined ? [] : [`start: ${JSON.stringify(from.toISOString())}`]),
    ...(to === undefined ? [] : [`stop: ${JSON.stringify(to.toISOString())}`]),
  ];
  const timeRange = bounds.length === 0 ? '' : `, timeRange: { ${bounds.join(', ')} }`;
  const query = `query Ask($id: ID!, $assetIds: [ID!]${values ? ', $metrics: [String!]' : ''}) {
  dataset(id: $id) {
    id name${description ? METADATA : ''}
    results(filter: { assetIds: $assetIds${timeRange} }) { series { nodes {${description ? ASSETS : SERIES}${values ? selectionOf(values) : ''}
    } } }
  }
}`;
  const variables = {
    id: datasetId,
    ...(assetIds.length > 0 && { assetIds }),
    ...(values && metrics.length > 0 && { metrics }),
  };
  return JSON.stringify({ query: withRootFields(query, fields), variables });
}
