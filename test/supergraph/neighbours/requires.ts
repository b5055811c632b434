import { getSummary, ofDataset, postResults } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { CLIENT_WRONG, everywhere, type Topic } from './neighbour.ts';

const quality: OtherSubgraph = {
  name: 'quality',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])

type Dataset @key(fields: "id") {
  id: ID!
  name: String @external
  title: String @requires(fields: "name")
  results(filter: ResultsFilterInput): DatasetResults @external
  coverage: String @requires(fields: "results { seriesCount }")
}

type Asset @key(fields: "datasetId assetId") {
  datasetId: ID!
  assetId: ID!
  metricNames: [String!] @external
  metricCount: Int @requires(fields: "metricNames")
}

type DatasetResults @external {
  seriesCount: Int
}

input ResultsFilterInput {
  assetIds: [ID!]
  timeRange: TimeRangeInput
}

input TimeRangeInput {
  start: TimeBound
  stop: TimeBound
}

scalar TimeBound
`,
  resolvers: {
    Dataset: {
      title: ({ name }: Required) => `Dataset ${name}`,
      coverage: ({ results }: Required) => `${results?.seriesCount} assets`,
    },
    Asset: { metricCount: ({ metricNames }: RequiredOfAsset) => metricNames?.length },
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
  readonly results?: { readonly seriesCount?: number };
}

/** Private. What the neighbour may get of an asset. */
interface RequiredOfAsset {
  readonly metricNames?: readonly string[];
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

const TWO = 'results(filter: { assetIds: ["b", "c"] }) { seriesCount }';
const DAY = Date.parse('2024-01-02T00:00:00Z');
const RANGE = 'timeRange: { start: "2024-01-02", stop: "2024-01-02" }';

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
      document: ofDataset('coverage results { seriesCount }'),
      outcomes: {
        right: {
          body: { data: { dataset: { coverage: '3 assets', results: { seriesCount: 3 } } } },
          calls: [postResults({})],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client selects `results` with a filter',
      document: ofDataset(`coverage ${TWO}`),
      outcomes: {
        // The assets of the filter are in the response without one.
        right: {
          body: { data: { dataset: { coverage: '3 assets', results: { seriesCount: 2 } } } },
          calls: [postResults({})],
        },
        [CLIENT_WRONG]: {
          body: { data: { dataset: { coverage: '3 assets', results: { seriesCount: 3 } } } },
          calls: [postResults({})],
        },
      },
      behind: { ...everywhere('right'), 'Apollo Gateway': CLIENT_WRONG, 'Hive Gateway': CLIENT_WRONG },
    },
    {
      title: 'the workaround: the client gives `results` an alias',
      document: ofDataset(`coverage mine: ${TWO}`),
      outcomes: {
        right: {
          body: { data: { dataset: { coverage: '3 assets', mine: { seriesCount: 2 } } } },
          calls: [postResults({})],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client selects a page of `series` beside it',
      document: ofDataset('coverage results { series(first: 2) { nodes { rowCount } } }'),
      outcomes: {
        right: {
          body: {
            data: {
              dataset: { coverage: '3 assets', results: { series: { nodes: [{ rowCount: 3 }, { rowCount: 3 }] } } },
            },
          },
          calls: [postResults({})],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: '`@requires` the names of the metrics of assets; the client selects all assets of the results',
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
      title: 'the same; the client selects `series` of a time range beside it',
      document: ofDataset(`asset(assetId: "a") { metricCount series(${RANGE}) { rowCount } }`),
      outcomes: {
        right: {
          body: { data: { dataset: { asset: { metricCount: 2, series: { rowCount: 1 } } } } },
          calls: [
            postResults({ mo_ids: ['a'] }),
            postResults({ mo_ids: ['a'], time_range: { start_date: DAY, stop_date: DAY + 86_399_999 } }),
          ],
        },
      },
      behind: everywhere('right'),
    },
  ],
};
