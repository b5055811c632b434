/** An operation that the explorers offer, with its variables. */
export interface Example {
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What the examples ask for. */
export interface ExampleSubjects {
  /** A dataset with results. */
  readonly datasetId: string;
  /** An asset of it. */
  readonly assetId: string;
  /** Its metrics to draw; all of them where none are named. */
  readonly metrics?: readonly string[];
  /** The time to draw, RFC 3339; all of it where none is given. */
  readonly range?: readonly [start: string, stop: string];
  /** Datasets to compare. */
  readonly datasetIds: readonly string[];
  /** A dataset that is a file. */
  readonly fileId: string;
}

/** What the examples ask for where it is not known which datasets there are: to be replaced by who tries them. */
export const placeholders: ExampleSubjects = {
  datasetId: 'A-DATASET-ID',
  assetId: 'AN-ASSET-ID',
  datasetIds: ['A-DATASET-ID', 'ANOTHER-DATASET-ID'],
  fileId: 'A-DATASET-ID',
};

/**
 * The example operations, in the order of their tabs. A variable that several of them have has the same value in each, so
 * that they can also stand in one document. No variable has a type of the schema: TYPE_PREFIX would rename it.
 */
export function examplesOf(subjects: ExampleSubjects): Example[] {
  const { datasetId: id, assetId, metrics, range, datasetIds: ids, fileId } = subjects;
  const timeRange = range && `timeRange: { start: "${range[0]}", stop: "${range[1]}" }`;
  const filter = ['assetIds: $assetIds', ...(timeRange ? [timeRange] : [])].join(', ');
  return [
    {
      query: `# One asset's metrics over time, column by column: the form for charts.
query Columns($id: ID!, $assetIds: [ID!], $metrics: [String!]) {
  dataset(id: $id) {
    name
    results(filter: { ${filter} }) {
      series {
        nodes {
          asset { name centroid { latitude longitude } }
          columns(metrics: $metrics) {
            valueDates
            metrics { name values }
          }
        }
      }
    }
  }
}`,
      variables: { id, assetIds: [assetId], ...(metrics && { metrics }) },
    },
    {
      query: `# What a dataset is: one REST call, whichever of these fields are asked for.
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
      query: `# Every asset's first two weeks as rows, with where the asset is.
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
      query: `# One asset by its id, with its attributes and its whole series.
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
      query: `# A link to a dataset's file. It works by itself, for a few minutes.
query Download($fileId: ID!) {
  dataset(id: $fileId) {
    name
    download { url(auth: TICKET) method }
  }
}`,
      variables: { fileId },
    },
    {
      query: `# Several datasets at once: each costs what it costs alone.
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
