import { type FieldNode, type GraphQLResolveInfo, Kind, visit } from 'graphql';
import type { PassingNeeds } from '../results/results.ts';
import { loadedFields } from './loaded-fields.ts';
import { ResultsSelection } from './results-selection.ts';
import { selectionOn } from './selected-fields.ts';
import type { SelectionSource } from './selections.ts';

/**
 * What a selection on the results of a dataset needs, if they may pass to the client while they arrive: all of their entries,
 * once and in their order. Undefined if they have to be kept.
 */
export function passingNeeds(nodes: readonly FieldNode[], source: SelectionSource): PassingNeeds | undefined {
  const fields = selectionOn('DatasetResults', nodes, source);
  const [series, ...others] = fields.filter(({ name }) => name === 'series');
  if (series === undefined || others.length > 0 || hasArguments(series.nodes)) return undefined;
  const lists = selectionOn('AssetSeriesConnection', series.nodes, source).filter(({ name }) => name !== '__typename');
  if (lists.length !== 1 || (lists[0]?.name !== 'nodes' && lists[0]?.name !== 'edges')) return undefined;
  const { bind } = new ResultsSelection({ ...source, fieldNodes: series.nodes }, loadedFields).connection(() => null);
  if (bind === undefined) return undefined;
  const isSelected = (wanted: string) => fields.some(({ name }) => name === wanted);
  return { processingId: isSelected('processingId'), sourceId: isSelected('sourceId') };
}

function hasArguments(nodes: readonly FieldNode[]): boolean {
  return nodes.some((node) => (node.arguments ?? []).length > 0);
}

/** Whether an operation selects results or series in one place only, so that nothing else can need the same response. */
export function selectsResultsOnce({
  operation,
  fragments,
}: Pick<GraphQLResolveInfo, 'operation' | 'fragments'>): boolean {
  const counts = { results: 0, series: 0, byId: 0 };
  for (const definition of [operation, ...Object.values(fragments)]) {
    visit(definition, {
      [Kind.FIELD]: ({ name: { value }, arguments: given = [] }: FieldNode) => {
        // `AssetSeries.results` has no fields of results.
        if (value === 'results') counts.results += 1;
        if (value === 'series') counts.series += 1;
        if (value === 'assets' || (value === 'asset' && given.length > 0)) counts.byId += 1;
      },
    });
  }
  return counts.results === 1 && counts.series === 1 && counts.byId === 0;
}
