import { type RootFields, withRootFields } from '../../src/core/root-fields.ts';

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
  /** Whether to query the values of the metrics. */
  readonly values: boolean;
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
      version metricNames`;

const VALUES = `
      columns(metrics: $metrics) { valueDates metrics { name values } }`;

/**
 * The GraphQL request as the body of a POST. It names only built-in types, because TYPE_PREFIX renames those of the
 * subgraph. So the time range is a literal in the document, not a variable.
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
    results(filter: { assetIds: $assetIds${timeRange} }) { series { nodes {${description ? ASSETS : SERIES}${values ? VALUES : ''}
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
