import { getSummary, ofDataset, postResults } from '../../support/harness.ts';
import { SPARSE_ID } from '../data.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { everywhere, type Topic } from './neighbour.ts';

const quality: OtherSubgraph = {
  name: 'quality',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])

type Dataset @key(fields: "id") {
  id: ID!
  name: String @external
  title: String @requires(fields: "name")
  results(filter: ResultsFilterInput): DatasetResults @external
  coverage: String @requires(fields: "results { series { totalCount } }")
  startDateTime(unit: EpochUnit! = MILLISECONDS): DateTime @external
  season: String @requires(fields: "startDateTime(unit: SECONDS)")
}

type Asset @key(fields: "datasetId assetId") {
  datasetId: ID!
  assetId: ID!
  series(timeRange: TimeRangeInput): AssetSeries @external
  metricCount: Int @requires(fields: "series { metricNames }")
}

type AssetSeries @external {
  metricNames: [String!]
}

type DatasetResults @external {
  series(first: Int, after: String): AssetSeriesConnection
}

type AssetSeriesConnection @external {
  totalCount: Int!
}

input ResultsFilterInput {
  assetIds: [ID!]
  timeRange: TimeRangeInput
}

input TimeRangeInput {
  start: EpochMillis
  stop: EpochMillis
}

enum EpochUnit {
  SECONDS
  MILLISECONDS
}

scalar EpochMillis

scalar DateTime
`,
  resolvers: {
    Dataset: {
      title: ({ name }: Required) => `Dataset ${name}`,
      coverage: ({ results }: Required) => `${results?.series?.totalCount} assets`,
      season: ({ startDateTime }: Required) => `from ${startDateTime}`,
    },
    Asset: { metricCount: ({ series }: RequiredOfAsset) => series?.metricNames?.length },
  },
};

/** With an input of ours that lacks a field. Then no client can use that field. */
export const halfInput = {
  name: 'quality',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])

type Dataset @key(fields: "id") {
  id: ID!
  results(filter: ResultsFilterInput): DatasetResults @external
  origin: String @requires(fields: "results { sourceId }")
}

type DatasetResults @external {
  sourceId: ID
}

input ResultsFilterInput {
  assetIds: [ID!]
}
`,
};

/** Private. What the neighbour may get of a dataset. */
interface Required {
  readonly name?: string;
  readonly results?: { readonly series?: { readonly totalCount?: number } };
  readonly startDateTime?: string;
}

/** Private. What the neighbour may get of an asset. */
interface RequiredOfAsset {
  readonly series?: { readonly metricNames?: readonly string[] };
}

/** With an id as an argument. */
export const idArgument = {
  name: 'quality',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])

type Dataset @key(fields: "id") {
  id: ID!
  asset(assetId: ID!): Asset @external
  pilot: String @requires(fields: "asset(assetId: \\"a\\") { name }")
}

type Asset @key(fields: "datasetId assetId") {
  datasetId: ID!
  assetId: ID!
  name: String @external
}
`,
};

const count = (totalCount: number) => ({ series: { totalCount } });
const TWO = 'results(filter: { assetIds: ["b", "c"] }) { series { totalCount } }';
const ofSparse = (selection: string) => `{ dataset(id: "${SPARSE_ID}") { ${selection} } }`;
const IN_SECONDS = '2023-11-14T22:13:20.000Z';
const IN_MILLISECONDS = '1970-01-20T16:13:20.000Z';
const CLIENT_WRONG = 'wrong: the client gets what the neighbour requires';
const NEIGHBOUR_WRONG = 'wrong: the neighbour gets what the client selects';

export const requires: Topic = {
  neighbours: [quality],
  cases: [
    {
      title: '`@requires` metadata',
      document: ofDataset('title'),
      outcomes: { right: { body: { data: { dataset: { title: 'Dataset Soil moisture' } } }, calls: [getSummary()] } },
      behind: everywhere('right'),
    },
    {
      title: '`@requires` a field within `results`',
      document: ofDataset('coverage'),
      outcomes: { right: { body: { data: { dataset: { coverage: '3 assets' } } }, calls: [postResults({})] } },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client selects `results` without a filter',
      document: ofDataset('coverage results { series { totalCount } }'),
      outcomes: {
        right: { body: { data: { dataset: { coverage: '3 assets', results: count(3) } } }, calls: [postResults({})] },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client selects `results` with a filter',
      document: ofDataset(`coverage ${TWO}`),
      outcomes: {
        // The assets of the filter are in the response without one.
        right: { body: { data: { dataset: { coverage: '3 assets', results: count(2) } } }, calls: [postResults({})] },
        [CLIENT_WRONG]: {
          body: { data: { dataset: { coverage: '3 assets', results: count(3) } } },
          calls: [postResults({})],
        },
      },
      behind: { ...everywhere('right'), 'Apollo Gateway': CLIENT_WRONG, 'Hive Gateway': CLIENT_WRONG },
    },
    {
      title: 'the workaround: the client gives `results` an alias',
      document: ofDataset(`coverage mine: ${TWO}`),
      outcomes: {
        right: { body: { data: { dataset: { coverage: '3 assets', mine: count(2) } } }, calls: [postResults({})] },
      },
      behind: everywhere('right'),
    },
    {
      title: '`@requires` the series of assets; the client selects all assets of the results',
      document: ofDataset('results { series { nodes { asset { assetId metricCount } } } }'),
      outcomes: {
        right: {
          body: {
            data: {
              dataset: {
                results: {
                  series: { nodes: ['a', 'b', 'c'].map((assetId) => ({ asset: { assetId, metricCount: 2 } })) },
                },
              },
            },
          },
          calls: [postResults({})],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: '`@requires` a field with an argument',
      document: ofSparse('season'),
      outcomes: {
        right: { body: { data: { dataset: { season: `from ${IN_SECONDS}` } } }, calls: [getSummary(SPARSE_ID)] },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client selects the field with another argument',
      document: ofSparse('season startDateTime'),
      outcomes: {
        right: {
          body: { data: { dataset: { season: `from ${IN_SECONDS}`, startDateTime: IN_MILLISECONDS } } },
          calls: [getSummary(SPARSE_ID)],
        },
        [CLIENT_WRONG]: {
          body: { data: { dataset: { season: `from ${IN_SECONDS}`, startDateTime: IN_SECONDS } } },
          calls: [getSummary(SPARSE_ID)],
        },
        [NEIGHBOUR_WRONG]: {
          body: { data: { dataset: { season: `from ${IN_MILLISECONDS}`, startDateTime: IN_MILLISECONDS } } },
          calls: [getSummary(SPARSE_ID)],
        },
      },
      behind: { ...everywhere('right'), 'Apollo Gateway': CLIENT_WRONG },
    },
    {
      title: 'the workaround: the client gives the field an alias',
      document: ofSparse('season mine: startDateTime'),
      outcomes: {
        right: {
          body: { data: { dataset: { season: `from ${IN_SECONDS}`, mine: IN_MILLISECONDS } } },
          calls: [getSummary(SPARSE_ID)],
        },
      },
      behind: everywhere('right'),
    },
  ],
};
