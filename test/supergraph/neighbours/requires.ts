import { getSummary, ofDataset, postResults } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { everywhere, type NeighbourCase, type Topic } from './neighbour.ts';

const quality: OtherSubgraph = {
  name: 'quality',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])

type Dataset @key(fields: "id") {
  id: ID!
  name: String @external
  title: String @requires(fields: "name")
  seriesCount: Int @external
  metricNames: [String!] @external
  coverage: String @requires(fields: "seriesCount metricNames")
  source: DatasetSource @external
  origin: String @requires(fields: "source { name }")
}

type DatasetSource @key(fields: "id", resolvable: false) {
  id: ID
  name: String @external
}

type Asset @key(fields: "datasetId assetId") {
  datasetId: ID!
  assetId: ID!
  metricNames: [String!] @external
  metricCount: Int @requires(fields: "metricNames")
}
`,
  resolvers: {
    Dataset: {
      title: ({ name }: Required) => `Dataset ${name}`,
      origin: ({ source }: Required) => `from ${source?.name}`,
      coverage: ({ seriesCount, metricNames }: Required) => `${seriesCount} assets: ${metricNames?.join(', ')}`,
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
  readonly source?: { readonly name: string };
  readonly seriesCount?: number;
  readonly metricNames?: readonly string[];
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

/** What a client selects under a filter. */
const FILTERED =
  'results(filter: { assetIds: ["b"] }) { series { totalCount } statistics { name count } byDate { dates } }';
const coverage = '3 assets: moisture, temperature';
const filtered = {
  series: { totalCount: 1 },
  statistics: ['moisture', 'temperature'].map((name) => ({ name, count: 3 })),
  byDate: { dates: ['2024-01-01', '2024-01-02', '2024-01-03'] },
};
const DAY = Date.parse('2024-01-02T00:00:00Z');
const RANGE = 'filter: { timeRange: { start: "2024-01-02", stop: "2024-01-02" } }';

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
      title: '`@requires` an object without arguments',
      document: ofDataset('origin source { id }'),
      outcomes: {
        right: {
          body: { data: { dataset: { origin: 'from Radar', source: { id: 's-1' } } } },
          calls: [getSummary()],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: '`@requires` `seriesCount metricNames` of datasets',
      document: ofDataset('coverage'),
      outcomes: { right: { body: { data: { dataset: { coverage } } }, calls: [postResults({})] } },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client selects these, and `results`',
      document: ofDataset('coverage seriesCount metricNames results { series { totalCount } }'),
      outcomes: {
        right: {
          body: {
            data: {
              dataset: {
                coverage,
                seriesCount: 3,
                metricNames: ['moisture', 'temperature'],
                results: { series: { totalCount: 3 } },
              },
            },
          },
          calls: [postResults({})],
        },
      },
      behind: everywhere('right'),
    },
    ...[
      ['behind the field', `coverage ${FILTERED}`],
      ['before the field', `${FILTERED} coverage`],
    ].map(
      ([where, selection = '']): NeighbourCase => ({
        title: `the same; the client selects \`results\` with a filter ${where}`,
        document: ofDataset(selection),
        outcomes: {
          // The assets of the filter are in the response without one.
          right: { body: { data: { dataset: { coverage, results: filtered } } }, calls: [postResults({})] },
        },
        behind: everywhere('right'),
      }),
    ),
    {
      title: 'the same; the client selects a page of `series` beside it',
      document: ofDataset('coverage results { series(first: 2) { nodes { rowCount } } }'),
      outcomes: {
        right: {
          body: {
            data: { dataset: { coverage, results: { series: { nodes: [{ rowCount: 3 }, { rowCount: 3 }] } } } },
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
