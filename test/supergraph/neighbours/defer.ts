import { DATASET_ID, getSummary, ofDataset, postResults } from '../../support/harness.ts';
import { WIDE_ID } from '../data.ts';
import { DEFER_ACCEPT, DEFER_IGNORED, DEFER_REFUSED, deferRefused } from './defer-outcomes.ts';
import { everywhere, type NeighbourCase, type Topic } from './neighbour.ts';

const name = 'Soil moisture';
const results = { series: { totalCount: 3 } };
const coverage = '3 assets: moisture, temperature';
const DEFERRED = 'right: the fields come later';

/** The gateways that do not defer. */
const behind: NeighbourCase['behind'] = { ...everywhere(DEFER_IGNORED), 'Apollo Gateway': DEFER_REFUSED };

/** Clients that defer fields of ours. It takes no neighbour but one that refers to datasets, and one that requires our fields. */
export const defer: Topic = {
  neighbours: [],
  cases: [
    {
      title: 'a client defers `results`',
      document: ofDataset('name ... @defer { results { series { totalCount } } }'),
      accept: DEFER_ACCEPT,
      outcomes: {
        [DEFER_REFUSED]: deferRefused,
        [DEFER_IGNORED]: { body: { data: { dataset: { name, results } } }, calls: [getSummary(), postResults({})] },
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
      accept: DEFER_ACCEPT,
      outcomes: {
        [DEFER_REFUSED]: deferRefused,
        [DEFER_IGNORED]: {
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
      accept: DEFER_ACCEPT,
      holds: 'getDatasetResults',
      outcomes: {
        [DEFER_REFUSED]: deferRefused,
        [DEFER_IGNORED]: {
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
      title: 'a client defers a field of a neighbour that `@requires` `seriesCount metricNames`',
      document: ofDataset('id ... @defer { coverage }'),
      accept: DEFER_ACCEPT,
      outcomes: {
        [DEFER_REFUSED]: deferRefused,
        [DEFER_IGNORED]: { body: { data: { dataset: { id: DATASET_ID, coverage } } }, calls: [postResults({})] },
        [DEFERRED]: {
          body: [
            { data: { dataset: { id: DATASET_ID } }, hasNext: true },
            { incremental: [{ data: { coverage }, path: ['dataset'] }], hasNext: false },
          ],
          calls: [postResults({})],
        },
      },
      behind: { ...behind, 'Hive Gateway': DEFERRED },
    },
    {
      title: 'a client defers our fields of datasets that a neighbour refers to',
      document: '{ bookmarks { dataset { id ... @defer { name } } } }',
      accept: DEFER_ACCEPT,
      holds: 'getDatasetMetadata',
      outcomes: {
        [DEFER_REFUSED]: deferRefused,
        [DEFER_IGNORED]: {
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
