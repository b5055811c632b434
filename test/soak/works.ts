import { assetId, LARGE, MIDDLE, ODD, SMALL, TINY } from './service.ts';

/** One kind of request. Its weight sets how often it is sent. */
export interface Work {
  readonly weight: number;
  /** The GraphQL request. Without it the request is for a file. */
  readonly body?: (index: number) => { query: string; variables?: Record<string, unknown> };
}

const ofDataset = (id: string, selection: string) => ({
  query: `query ($id: ID!) { dataset(id: $id) { ${selection} } }`,
  variables: { id },
});
const nodes = (selection: string) => `results { sourceId series { nodes { ${selection} } } }`;
const rows = 'rows { valueDate metrics { name value } }';
const metadata = 'id name description assetCount sharing startDate startDateTime';

/** Columns of a medium dataset. They take tens of milliseconds. */
export const columns: Work = {
  weight: 60,
  body: () => ofDataset(MIDDLE, nodes('asset { name } columns { metrics { name values } }')),
};

/** New documents, so large that some 1500 fill the GraphQL server's document cache. */
export const newDocuments: Work = {
  weight: 20,
  body: (index) => ({ query: `{ dataset(id: "${index} ${'x'.repeat(20_000)}") { id } }` }),
};

const manyDatasets: Work = {
  weight: 40,
  body: () => ({
    query: 'query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { id name assetCount } }',
    variables: { ids: TINY },
  }),
};

/** All kinds. */
export const works: readonly Work[] = [
  { weight: 400, body: () => ofDataset(SMALL, metadata) },
  { weight: 150, body: () => ofDataset(SMALL, `name ${nodes(`asset { name } ${rows}`)}`) },
  columns,
  {
    // single assets
    weight: 100,
    body: (index) =>
      ofDataset(
        SMALL,
        [0, 1, 2]
          .map((asset) => `a${asset}: asset(assetId: "${assetId((asset * index) % 9)}") { name series { ${rows} } }`)
          .join(' '),
      ),
  },
  {
    // entities
    weight: 100,
    body: () => ({
      query: `query ($references: [_Any!]!) { _entities(representations: $references) {
        ... on Dataset { name } ... on Asset { name series { version } } } }`,
      variables: {
        references: [
          ...TINY.slice(0, 5).map((id) => ({ __typename: 'Dataset', id })),
          ...[0, 1, 2, 3, 4].map((asset) => ({ __typename: 'Asset', datasetId: SMALL, assetId: assetId(asset) })),
        ],
      },
    }),
  },
  manyDatasets,
  { weight: 60, body: () => ({ query: '{ dataset(id: "..") { name } nothing }' }) },
  newDocuments,
  { weight: 20, body: () => ofDataset(MIDDLE, nodes(`asset { name } ${rows}`)) },
  { weight: 10 },
  { weight: 3, body: () => ofDataset(LARGE, nodes(`asset { name } ${rows}`)) },
  {
    // odd bodies
    weight: 3,
    body: (index) => ofDataset(ODD[index % ODD.length] ?? '', nodes(`asset { assetId name } ${rows}`)),
  },
  {
    // large responses, entry by entry
    weight: 0.5,
    body: () => ofDataset(LARGE, nodes('a: asset { name } asset { series { version } }')),
  },
];
