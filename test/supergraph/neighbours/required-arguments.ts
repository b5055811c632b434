import { ofDataset, postResults } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { okOf, refusedFetch, type Topic } from './neighbour.ts';

/** Requires fields that have arguments, which docs/federation.md advises against. */
const counting: OtherSubgraph = {
  name: 'counting',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])

type Dataset @key(fields: "id") {
  id: ID!
  results(filter: ResultsFilterInput): DatasetResults @external
  total: String @requires(fields: "results { series { totalCount } }")
}

type Asset @key(fields: "datasetId assetId") {
  datasetId: ID!
  assetId: ID!
  series(filter: SeriesFilterInput): AssetSeries @external
  history: String @requires(fields: "series { rowCount }")
}

type DatasetResults @external {
  series(first: Int, after: String): AssetSeriesConnection
}

type AssetSeriesConnection @external {
  totalCount: Int!
}

type AssetSeries @external {
  rowCount: Int
}

input ResultsFilterInput {
  assetIds: [ID!]
  timeRange: TimeRangeInput
}

input SeriesFilterInput {
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
      total: ({ results }: { results?: { series?: { totalCount: number } } }) =>
        `${results?.series?.totalCount} assets`,
    },
    Asset: { history: ({ series }: { series?: { rowCount?: number } }) => `${series?.rowCount} rows` },
  },
};

/** The exit code of a process that has aborted (SIGABRT). */
const ABORTED = 134;

const PAGE = 'series(first: 2) { nodes { rowCount } }';
const DAY = Date.parse('2024-01-02T00:00:00Z');
const ONE_DAY = 'series(filter: { timeRange: { start: "2024-01-02", stop: "2024-01-02" } }) { rowCount }';
const ofAsset = postResults({ mo_ids: ['a'] });
const ofAssetOnDay = postResults({ mo_ids: ['a'], time_range: { start_date: DAY, stop_date: DAY + 86_399_999 } });

/** A response with a page of so many nodes. */
const page = (name: string, nodes: number) =>
  okOf(
    { total: '3 assets', results: { [name]: { nodes: Array.from({ length: nodes }, () => ({ rowCount: 3 })) } } },
    postResults({}),
  );

/** A response of the asset. */
const asset = (history: string, rowCount: number, ...calls: string[]) =>
  okOf({ asset: { history, series: { rowCount } } }, ...calls);

export const requiredArguments: Topic = {
  neighbours: [counting],
  cases: [
    {
      title: '`@requires` `series { rowCount }` of assets; the client selects `series` of a time range beside it',
      document: ofDataset(`asset(assetId: "a") { history ${ONE_DAY} }`),
      right: asset('3 rows', 1, ofAsset, ofAssetOnDay),
      except: {
        // The client gets what the neighbour requires.
        'Apollo Gateway': asset('3 rows', 3, ofAsset),
        'Hive Gateway': asset('3 rows', 3, ofAsset),
        // The neighbour gets what the client selects.
        'Hive Gateway, Rust planner': asset('1 rows', 1, ofAsset, ofAssetOnDay),
      },
    },
    {
      title: 'the workaround: the client gives `series` an alias',
      document: ofDataset(`total results { few: ${PAGE} }`),
      right: page('few', 2),
    },
    // The last one, because it ends the process of a gateway.
    {
      title: '`@requires` `results { series { totalCount } }`; the client selects `series(first: 2)` beside it',
      document: ofDataset(`total results { ${PAGE} }`),
      right: page('series', 2),
      except: {
        'Apollo Gateway': page('series', 3),
        'Hive Gateway': refusedFetch(
          'Fields "results" conflict because subfields "series" conflict because they have differing arguments. Use different aliases on the fields to fetch both if this was intentional.',
        ),
        'Hive Gateway, Rust planner': { exitCode: ABORTED, body: undefined, calls: [] },
      },
    },
  ],
};
