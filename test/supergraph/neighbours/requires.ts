import { getSummary, ofDataset, postResults } from '../../support/harness.ts';
import type { OtherSubgraph } from '../subgraphs/others.ts';
import { okOf, type Topic } from './neighbour.ts';

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

/** What the neighbour may get of a dataset. */
interface Required {
  readonly name?: string;
  readonly source?: { readonly name: string };
  readonly seriesCount?: number;
  readonly metricNames?: readonly string[];
}

/** What the neighbour may get of an asset. */
interface RequiredOfAsset {
  readonly metricNames?: readonly string[];
}

/** What a client selects under a filter: the assets of the filter are in the response without one. */
const FILTERED = 'results(filter: { assetIds: ["b"] }) { series { totalCount } byDate { dates } }';
const filtered = { series: { totalCount: 1 }, byDate: { dates: ['2024-01-01', '2024-01-02', '2024-01-03'] } };
const counted = ['a', 'b', 'c'].map((assetId) => ({ asset: { assetId, metricCount: 2 } }));

export const requires: Topic = {
  neighbours: [quality],
  cases: [
    {
      title: '`@requires` metadata, and an object without arguments',
      document: ofDataset('title origin source { id }'),
      right: okOf({ title: 'Dataset Soil moisture', origin: 'from Radar', source: { id: 's-1' } }, getSummary()),
    },
    {
      title: '`@requires` `seriesCount metricNames`; the client selects `results` with a filter beside it',
      document: ofDataset(`coverage ${FILTERED}`),
      right: okOf({ coverage: '3 assets: moisture, temperature', results: filtered }, postResults({})),
    },
    {
      title: '`@requires` the names of the metrics of assets; the client selects all assets of the results',
      document: ofDataset('results { series { nodes { asset { assetId metricCount } } } }'),
      right: okOf({ results: { series: { nodes: counted } } }, postResults({})),
    },
  ],
};
