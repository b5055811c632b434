import { DATASET_ID, getSummary, ofDataset, postResults } from '../../support/harness.ts';
import { WIDE_ID } from '../data.ts';
import { everywhere, type NeighbourCase, type Topic } from './neighbour.ts';

const accept = 'multipart/mixed;deferSpec=20220824, application/json';
const name = 'Soil moisture';
const results = { series: { totalCount: 3 } };
const REFUSED = 'refused: 400';
const IGNORED = 'ignored: one response';
const DEFERRED = 'right: the fields come later';

/** Apollo Server does not know the directive. */
const refused = {
  status: 400,
  body: { errors: [{ message: 'Unknown directive "@defer".', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
  calls: [],
};

/** The gateways that do not defer. */
const behind: NeighbourCase['behind'] = { ...everywhere(IGNORED), 'Apollo Gateway': REFUSED };

/** Clients that defer fields of ours. It takes no neighbour but one that refers to datasets. */
export const defer: Topic = {
  neighbours: [],
  cases: [
    {
      title: 'a client defers `results`',
      document: ofDataset('name ... @defer { results { series { totalCount } } }'),
      accept,
      outcomes: {
        [REFUSED]: refused,
        [IGNORED]: { body: { data: { dataset: { name, results } } }, calls: [getSummary(), postResults({})] },
        'wrong: null without an error': {
          body: [
            { data: { dataset: { name } }, hasNext: true },
            { incremental: [{ data: { results: null }, path: ['dataset'] }], hasNext: false },
          ],
          calls: [getSummary()],
        },
      },
      behind: { ...behind, 'Hive Gateway': 'wrong: null without an error' },
    },
    {
      title: 'the same with `id` among the deferred fields',
      document: ofDataset('name ... @defer { id results { series { totalCount } } }'),
      accept,
      outcomes: {
        [REFUSED]: refused,
        [IGNORED]: {
          body: { data: { dataset: { id: DATASET_ID, name, results } } },
          calls: [getSummary(), postResults({})],
        },
        'an error instead of the fields': {
          body: [
            { data: { dataset: { name } }, hasNext: true },
            {
              incremental: [
                {
                  data: null,
                  path: ['dataset'],
                  errors: [
                    { message: 'Cannot return null for non-nullable field Dataset.id.', path: ['dataset', 'id'] },
                  ],
                },
              ],
              hasNext: false,
            },
          ],
          calls: [getSummary()],
        },
      },
      behind: { ...behind, 'Hive Gateway': 'an error instead of the fields' },
    },
    {
      title: 'the workaround: `id` beside the deferred fields',
      document: ofDataset('id name ... @defer { results { series { totalCount } } }'),
      accept,
      holds: 'getDatasetResults',
      outcomes: {
        [REFUSED]: refused,
        [IGNORED]: {
          body: { data: { dataset: { id: DATASET_ID, name, results } } },
          calls: [getSummary(), postResults({})],
        },
        [DEFERRED]: {
          body: [
            { data: { dataset: { id: DATASET_ID, name } }, hasNext: true },
            { incremental: [{ data: { results }, path: ['dataset'] }], hasNext: false },
          ],
          calls: [getSummary(), postResults({})],
        },
      },
      behind: { ...behind, 'Hive Gateway': DEFERRED },
    },
    {
      title: 'a client defers our fields of datasets that a neighbour refers to',
      document: '{ bookmarks { dataset { id ... @defer { name } } } }',
      accept,
      holds: 'getDatasetMetadata',
      outcomes: {
        [REFUSED]: refused,
        [IGNORED]: {
          body: { data: { bookmarks: [DATASET_ID, WIDE_ID, DATASET_ID].map((id) => ({ dataset: { id, name } })) } },
          calls: [getSummary(), getSummary(WIDE_ID)],
        },
        [DEFERRED]: {
          body: [
            {
              data: { bookmarks: [DATASET_ID, WIDE_ID, DATASET_ID].map((id) => ({ dataset: { id } })) },
              hasNext: true,
            },
            {
              incremental: [0, 1, 2].map((index) => ({ data: { name }, path: ['bookmarks', index, 'dataset'] })),
              hasNext: false,
            },
          ],
          calls: [getSummary(), getSummary(WIDE_ID)],
        },
      },
      behind: { ...behind, 'Hive Gateway': DEFERRED },
    },
  ],
};
