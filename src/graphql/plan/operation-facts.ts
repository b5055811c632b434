import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLResolveInfo,
  Kind,
  type OperationDefinitionNode,
  visit,
} from 'graphql';
import { madeOfAllResults } from './loaded-fields.ts';

/** What holds for an operation with all its fragments, whatever its variables are. */
export interface OperationFacts {
  /** The names of the variables in `@skip` and `@include`. */
  readonly conditionNames: readonly string[];
  /**
   * Whether it selects results in one place only, with series in one place at most. Then the fields that read the same response are alike;
   * the loader counts them.
   */
  readonly selectsResultsOnce: boolean;
  /**
   * Whether it may select results on the dataset of an asset. Such fields ask for them when the first response has been read. The
   * dataset of an asset is the only field of that name without arguments.
   */
  readonly nestsResults: boolean;
}

/** An operation that is being executed. */
type ExecutedOperation = Pick<GraphQLResolveInfo, 'operation' | 'fragments'>;

/** The facts of an operation. */
export function factsOf({ operation, fragments }: ExecutedOperation): OperationFacts {
  return findFacts([operation, ...Object.values(fragments)]);
}

/** The fields of a dataset that ask for results. */
const resultsOfDataset: ReadonlySet<string> = new Set(['results', 'asset', 'assetsByIds', ...madeOfAllResults]);

function findFacts(definitions: readonly (OperationDefinitionNode | FragmentDefinitionNode)[]): OperationFacts {
  const conditions = new Set<string>();
  const counts = { results: 0, series: 0, byId: 0 };
  let nestsResults = false;
  /** The number of fields around the current one that are the dataset of an asset. */
  let depth = 0;
  const isDatasetOfAsset = ({ name, arguments: given = [] }: FieldNode) =>
    name.value === 'dataset' && given.length === 0;
  for (const definition of definitions) {
    visit(definition.selectionSet, {
      // A query has no other directives.
      [Kind.DIRECTIVE]: ({ arguments: given = [] }) => {
        for (const { value } of given) if (value.kind === Kind.VARIABLE) conditions.add(value.name.value);
      },
      [Kind.FIELD]: {
        enter: (field: FieldNode) => {
          const { value } = field.name;
          if (value === 'results') counts.results += 1;
          if (value === 'series') counts.series += 1;
          if (value === 'assetsByIds' || (value === 'asset' && (field.arguments ?? []).length > 0)) counts.byId += 1;
          if (depth > 0 && resultsOfDataset.has(value)) nestsResults = true;
          if (isDatasetOfAsset(field)) depth += 1;
        },
        leave: (field: FieldNode) => {
          if (isDatasetOfAsset(field)) depth -= 1;
        },
      },
      [Kind.FRAGMENT_SPREAD]: () => {
        if (depth > 0) nestsResults = true;
      },
    });
  }
  const selectsResultsOnce = counts.results === 1 && counts.series <= 1 && counts.byId === 0;
  return { conditionNames: [...conditions], selectsResultsOnce, nestsResults };
}
