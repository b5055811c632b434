import { DATASET_ID, getSummary, ofDataset, postResults } from '../../support/harness.ts';
import { type NeighbourCase, type Outcome, okOf, refusedFetch, type Topic } from './neighbour.ts';

const name = 'Soil moisture';
const results = { series: { totalCount: 3 } };

/** Apollo Server does not know the directive. */
const refused: Outcome = {
  status: 400,
  body: { errors: [{ message: 'Unknown directive "@defer".', extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }] },
  calls: [],
};

/** A response of two parts. */
const inParts = (first: object, second: object, ...calls: string[]): Outcome => ({
  body: [
    { data: { dataset: first }, hasNext: true },
    { incremental: [{ data: second, path: ['dataset'] }], hasNext: false },
  ],
  calls,
});

/** Fields that a client defers: only one of the gateways does, and others ignore the directive. */
const deferred = (title: string, selection: string, right: Outcome, ofHive: Outcome): NeighbourCase => ({
  title,
  document: ofDataset(selection),
  accepts: 'parts',
  right,
  except: { 'Apollo Gateway': refused, 'Hive Gateway': ofHive },
});

const both = [getSummary(), postResults({})];

/** Clients that defer fields of ours. It takes no neighbour, but one that requires our fields. */
export const defer: Topic = {
  neighbours: [],
  cases: [
    deferred(
      'a client defers `results`, which are null without an error',
      'name ... @defer { results { series { totalCount } } }',
      okOf({ name, results }, ...both),
      inParts({ name }, { results: null }, getSummary()),
    ),
    deferred(
      'the workaround: `id` beside the deferred fields',
      'id name ... @defer { results { series { totalCount } } }',
      okOf({ id: DATASET_ID, name, results }, ...both),
      inParts({ id: DATASET_ID, name }, { results }, ...both),
    ),
    deferred(
      'a client defers a field of a neighbour that `@requires` `results { series { totalCount } }`',
      'id ... @defer { total }',
      okOf({ id: DATASET_ID, total: '3 assets' }, postResults({})),
      refusedFetch(
        'Field "results" of type "DatasetResults" must have a selection of subfields. Did you mean "results { ... }"?',
      ),
    ),
  ],
};
