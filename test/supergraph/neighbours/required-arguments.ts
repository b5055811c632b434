import { DATASET_ID, ofDataset, postResults } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { DEFER_ACCEPT, DEFER_IGNORED, DEFER_REFUSED, deferRefused } from './defer-outcomes.ts';
import { CLIENT_WRONG, everywhere, type NeighbourCase, type Topic } from './neighbour.ts';

/** Requires fields that have arguments, which docs/federation.md advises against. */
const counting: OtherSubgraph = {
  name: 'counting',
  sdl: `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.9", import: ["@key", "@external", "@requires"])

type Dataset @key(fields: "id") {
  id: ID!
  results(filter: ResultsFilterInput): DatasetResults @external
  coverage: String @requires(fields: "results { series { totalCount } }")
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
    Dataset: { coverage: ({ results }: RequiredOfDataset) => `${results?.series?.totalCount} assets` },
    Asset: { history: ({ series }: RequiredOfAsset) => `${series?.rowCount} rows` },
  },
};

/** Private. What the neighbour may get of a dataset. */
interface RequiredOfDataset {
  readonly results?: { readonly series?: { readonly totalCount: number } };
}

/** Private. What the neighbour may get of an asset. */
interface RequiredOfAsset {
  readonly series?: { readonly rowCount?: number };
}

/** The exit code of a process that has aborted (SIGABRT). */
const ABORTED = 134;
const PROCESS_ABORTS = `the process aborts: exit code ${ABORTED}`;
const REFUSED = 'an error: `GRAPHQL_VALIDATION_FAILED`';
const NEIGHBOUR_WRONG = 'wrong: the neighbour gets what the client selects';

const PAGE = 'series(first: 2) { nodes { rowCount } }';
const DAY = Date.parse('2024-01-02T00:00:00Z');
const ONE_DAY = 'series(filter: { timeRange: { start: "2024-01-02", stop: "2024-01-02" } }) { rowCount }';
const ofAsset = postResults({ mo_ids: ['a'] });
const ofAssetOnDay = postResults({ mo_ids: ['a'], time_range: { start_date: DAY, stop_date: DAY + 86_399_999 } });

/** The data of a query of the asset. */
const assetData = (asset: object) => ({ data: { dataset: { asset } } });

const FILTERED = 'results(filter: { assetIds: ["b"] }) { series { totalCount } }';

/** The data of a query of the results of a filter. */
const filteredData = (coverage: string, totalCount: number) => ({
  data: { dataset: { coverage, results: { series: { totalCount } } } },
});

/** The data of a query of a page of the series, with so many nodes. */
function pageData(name: string, nodes: number) {
  const page = { nodes: Array.from({ length: nodes }, () => ({ rowCount: 3 })) };
  return { data: { dataset: { coverage: '3 assets', results: { [name]: page } } } };
}

/** Apart from the others, because a query beside what this neighbour requires can end the process of a gateway. */
export const requiredArguments: Topic = {
  isApart: true,
  neighbours: [counting],
  cases: [
    {
      title: '`@requires` `results { series { totalCount } }`; the client selects `series(first: 2)` beside it',
      document: ofDataset(`coverage results { ${PAGE} }`),
      outcomes: {
        right: { body: pageData('series', 2), calls: [postResults({})] },
        [CLIENT_WRONG]: { body: pageData('series', 3), calls: [postResults({})] },
        [REFUSED]: {
          body: {
            data: { dataset: null },
            errors: [
              {
                message:
                  'Fields "results" conflict because subfields "series" conflict because they have differing arguments. Use different aliases on the fields to fetch both if this was intentional.',
                path: ['dataset'],
                extensions: { code: 'GRAPHQL_VALIDATION_FAILED', serviceName: 'dataset' },
              },
            ],
          },
          calls: [],
        },
        [PROCESS_ABORTS]: { exitCode: ABORTED, body: undefined, calls: [] },
      },
      behind: {
        'Apollo Gateway': CLIENT_WRONG,
        'Hive Gateway': REFUSED,
        'Hive Gateway, Rust planner': PROCESS_ABORTS,
        Grafbase: 'right',
      },
    },
    ...(
      [
        ['behind the field', `coverage ${FILTERED}`, CLIENT_WRONG],
        ['before the field', `${FILTERED} coverage`, NEIGHBOUR_WRONG],
      ] as const
    ).map(
      ([where, selection, wrong]): NeighbourCase => ({
        title: `the same; the client selects \`results\` with a filter ${where}`,
        document: ofDataset(selection),
        outcomes: {
          right: { body: filteredData('3 assets', 1), calls: [postResults({})] },
          [CLIENT_WRONG]: { body: filteredData('3 assets', 3), calls: [postResults({})] },
          [NEIGHBOUR_WRONG]: { body: filteredData('1 assets', 1), calls: [postResults({ mo_ids: ['b'] })] },
        },
        behind: { ...everywhere('right'), 'Apollo Gateway': wrong, 'Hive Gateway': wrong },
      }),
    ),
    {
      title: 'the same; the client gives `results` an alias',
      document: ofDataset(`coverage mine: ${FILTERED}`),
      outcomes: {
        right: {
          body: { data: { dataset: { coverage: '3 assets', mine: { series: { totalCount: 1 } } } } },
          calls: [postResults({})],
        },
      },
      behind: everywhere('right'),
    },
    {
      title: 'the same; the client defers the field',
      document: ofDataset('id ... @defer { coverage }'),
      accept: DEFER_ACCEPT,
      outcomes: {
        [DEFER_REFUSED]: deferRefused,
        [DEFER_IGNORED]: {
          body: { data: { dataset: { id: DATASET_ID, coverage: '3 assets' } } },
          calls: [postResults({})],
        },
        [REFUSED]: {
          body: {
            data: { dataset: null },
            errors: [
              {
                message:
                  'Field "results" of type "DatasetResults" must have a selection of subfields. Did you mean "results { ... }"?',
                path: ['dataset'],
                extensions: { code: 'GRAPHQL_VALIDATION_FAILED', serviceName: 'dataset' },
              },
            ],
          },
          calls: [],
        },
      },
      behind: { ...everywhere(DEFER_IGNORED), 'Apollo Gateway': DEFER_REFUSED, 'Hive Gateway': REFUSED },
    },
    {
      title: 'the workaround: the client gives `series` an alias',
      document: ofDataset(`coverage results { few: ${PAGE} }`),
      outcomes: { right: { body: pageData('few', 2), calls: [postResults({})] } },
      behind: everywhere('right'),
    },
    {
      title: '`@requires` `series { rowCount }` of assets; the client selects `series` of a time range beside it',
      document: ofDataset(`asset(assetId: "a") { history ${ONE_DAY} }`),
      outcomes: {
        right: {
          body: assetData({ history: '3 rows', series: { rowCount: 1 } }),
          calls: [ofAsset, ofAssetOnDay],
        },
        [CLIENT_WRONG]: { body: assetData({ history: '3 rows', series: { rowCount: 3 } }), calls: [ofAsset] },
        [NEIGHBOUR_WRONG]: {
          body: assetData({ history: '1 rows', series: { rowCount: 1 } }),
          calls: [ofAsset, ofAssetOnDay],
        },
      },
      behind: {
        'Apollo Gateway': CLIENT_WRONG,
        'Hive Gateway': CLIENT_WRONG,
        'Hive Gateway, Rust planner': NEIGHBOUR_WRONG,
        Grafbase: 'right',
      },
    },
    {
      title: 'the workaround: the same alias',
      document: ofDataset(`asset(assetId: "a") { history day: ${ONE_DAY} }`),
      outcomes: {
        right: {
          body: assetData({ history: '3 rows', day: { rowCount: 1 } }),
          calls: [ofAsset, ofAssetOnDay],
        },
      },
      behind: everywhere('right'),
    },
  ],
};
