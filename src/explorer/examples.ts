/** An operation that the explorers offer, with its variables. */
export interface Example {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The ids and values in the variables of the examples. */
export interface ExampleSubjects {
  /** A dataset with results. */
  readonly datasetId: string;
  /** An asset of the dataset. */
  readonly assetId: string;
  /** The metrics to draw; by default all. */
  readonly metrics?: readonly string[];
  /** The time range to draw, RFC 3339; by default all. */
  readonly range?: TimeRange;
  /** Datasets to compare. */
  readonly datasetIds: readonly string[];
  /** A dataset with a file. */
  readonly fileId: string;
}

/** Placeholders for users to replace, if no dataset is known. */
export const placeholders: ExampleSubjects = {
  datasetId: 'A-DATASET-ID',
  assetId: 'AN-ASSET-ID',
  datasetIds: ['A-DATASET-ID', 'ANOTHER-DATASET-ID'],
  fileId: 'A-DATASET-ID',
};

/** A time range, RFC 3339. An empty bound is open. */
export type TimeRange = readonly [start: string, stop: string];

/**
 * An operation that reads metrics of some assets as columns. Its variables are `id`, `assetIds` and `metrics`; without
 * the last two it reads everything. The range is part of the text, because TYPE_PREFIX renames its type.
 */
export function columnsQuery([start, stop]: TimeRange = ['', '']): string {
  const bounds = [start && `start: "${start}"`, stop && `stop: "${stop}"`].filter((bound) => bound !== '').join(', ');
  return `# The metrics of some assets as columns, for charts.
query Columns($id: ID!, $assetIds: [ID!], $metrics: [String!]) {
  dataset(id: $id) {
    name
    results(filter: { assetIds: $assetIds${bounds && `, timeRange: { ${bounds} }`} }) {
      series {
        nodes {
          asset { assetId name centroid { latitude longitude } }
          columns(metrics: $metrics) {
            valueDates
            metrics { name values }
          }
        }
      }
    }
  }
}`;
}

/** An operation that makes a link to a dataset's file. Its variable is `fileId`. */
export const downloadQuery = `# A link to a dataset's file. It needs no token, and expires after a few minutes.
query Download($fileId: ID!) {
  dataset(id: $fileId) {
    name
    download { url(auth: TICKET) method }
  }
}`;

/**
 * The example operations, in the order of their tabs. Variables of the same name have the same value, so that all
 * operations fit one document. Variables have only built-in types, because TYPE_PREFIX renames those of the schema.
 */
export function examplesOf(subjects: ExampleSubjects): Example[] {
  const { datasetId: id, assetId, metrics, range, datasetIds: ids, fileId } = subjects;
  const timeRange = range && `timeRange: { start: "${range[0]}", stop: "${range[1]}" }`;
  return [
    {
      query: columnsQuery(range),
      variables: { id, assetIds: [assetId], ...(metrics && { metrics }) },
    },
    {
      query: `# The metadata of a dataset: one REST call for any of these fields.
query Metadata($id: ID!) {
  dataset(id: $id) {
    name
    description
    assetCount
    attributionText
    sharing
    processing { id name }
    source { id name }
    startDateTime
    stopDateTime
  }
}`,
      variables: { id },
    },
    {
      query: `# The first two weeks of every asset as rows, with its location.
query Rows($id: ID!) {
  dataset(id: $id) {
    name
    results${timeRange ? `(filter: { ${timeRange} })` : ''} {
      series {
        nodes {
          asset { name centroid { latitude longitude } }
          results(first: 14) {
            valueDate
            metrics { name value }
          }
        }
      }
    }
  }
}`,
      variables: { id },
    },
    {
      query: `# One asset by its id, with its attributes and all its values.
query OneAsset($id: ID!, $assetId: ID!) {
  dataset(id: $id) {
    name
    asset(assetId: $assetId) {
      name
      categories
      centroid { latitude longitude }
      parent { name }
      series {
        resultCount
        columns {
          valueDates
          metrics { name values }
        }
      }
    }
  }
}`,
      variables: { id, assetId },
    },
    {
      query: downloadQuery,
      variables: { fileId },
    },
    {
      query: `# Several datasets at once. Each needs the same REST calls as alone.
query SeveralDatasets($ids: [ID!]!) {
  datasets(ids: $ids) {
    name
    results {
      series {
        nodes {
          asset { name centroid { latitude longitude } }
          columns {
            valueDates
            metrics { name values }
          }
        }
      }
    }
  }
}`,
      variables: { ids },
    },
  ];
}
