import { type FieldNode, type GraphQLResolveInfo, Kind, visit } from 'graphql';
import type { DatasetResultsSeriesArgs } from '../../generated/resolvers.ts';
import type { FirstAssets, PartialNeeds, PassingNeeds } from '../../results/results.ts';
import { indexIn } from '../input.ts';
import { loadedFields } from './loaded-fields.ts';
import { ResultsSelection } from './results-selection.ts';
import { type SelectedField, selectionOn } from './selected-fields.ts';
import type { SelectionSource } from './selections.ts';

export type OperationInfo = Pick<GraphQLResolveInfo, 'operation' | 'fragments'>;

/** The fields of a dataset that ask for results. */
const resultsOfDataset: ReadonlySet<string> = new Set(['results', 'asset', 'assets']);

/**
 * What a selection on the results of a dataset needs of them, under the variables of a request; undefined if all of them have
 * to be kept. @throws GraphQLError if an argument is invalid
 */
export type NeedsOfResults = (variableValues: GraphQLResolveInfo['variableValues']) => PartialNeeds | undefined;

/** Compiles it for the selections on results in one operation. */
export function needsCompiler(
  info: OperationInfo,
): (nodes: readonly FieldNode[], source: SelectionSource) => NeedsOfResults {
  const mayPass = selectsResultsOnce(info);
  const maySkim = !nestsResults(info);
  return (nodes, source) => {
    const passing = mayPass ? passingNeeds(nodes, source) : undefined;
    if (passing !== undefined) return () => passing;
    return maySkim ? firstAssets(nodes, source) : () => undefined;
  };
}

/**
 * All entries are needed, once and in their order, so they may pass to the client while they arrive. What comes behind them in the
 * response need not be known before.
 */
function passingNeeds(nodes: readonly FieldNode[], source: SelectionSource): PassingNeeds | undefined {
  const fields = selectionOn('DatasetResults', nodes, source);
  const [series, ...others] = fields.filter(({ name }) => name === 'series');
  if (series === undefined || others.length > 0 || hasArguments(series.nodes)) return undefined;
  const isList = ({ name }: SelectedField) => name === 'nodes' || name === 'edges';
  const page = selectionOn('AssetSeriesConnection', series.nodes, source).filter(({ name }) => name !== '__typename');
  if (page.findIndex(isList) !== 0 || page.filter(isList).length > 1) return undefined;
  const { bind } = new ResultsSelection({ ...source, fieldNodes: series.nodes }, loadedFields).connection(() => null);
  if (bind === undefined) return undefined;
  const before = fields.slice(0, fields.indexOf(series)).map(({ name }) => name);
  return { processingId: before.includes('processingId'), sourceId: before.includes('sourceId') };
}

/** Only the first entries are needed: those of pages, and those that cursors refer to. */
function firstAssets(nodes: readonly FieldNode[], source: SelectionSource): NeedsOfResults {
  const series = selectionOn('DatasetResults', nodes, source)
    .filter(({ name }) => name === 'series')
    .map((field) => ({ field, hasEntries: selectsEntries(field, source) }));
  if (series.some(({ field, hasEntries }) => hasEntries && !hasArguments(field.nodes))) return () => undefined;
  return (variableValues): FirstAssets | undefined => {
    const ends = series.map(({ field, hasEntries }) => {
      const { first, after } = field.args<DatasetResultsSeriesArgs>(variableValues);
      const start = typeof after === 'string' ? indexIn(after) + 1 : 0;
      return start + (hasEntries ? (first ?? Number.POSITIVE_INFINITY) : 0);
    });
    const first = Math.max(0, ...ends);
    return Number.isFinite(first) ? { first } : undefined;
  };
}

/** Whether a selection on a connection needs the entries of its page, and not only their number. */
function selectsEntries({ nodes }: SelectedField, source: SelectionSource): boolean {
  return selectionOn('AssetSeriesConnection', nodes, source).some(({ name, nodes: own }) => {
    if (name !== 'pageInfo') return name === 'nodes' || name === 'edges';
    return selectionOn('PageInfo', own, source).some((field) => field.name.endsWith('Cursor'));
  });
}

function hasArguments(nodes: readonly FieldNode[]): boolean {
  return nodes.some((node) => (node.arguments ?? []).length > 0);
}

/** Whether an operation selects results or series in one place only, so that nothing else can need the same response. */
function selectsResultsOnce({ operation, fragments }: OperationInfo): boolean {
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

/**
 * Whether an operation may select results on the dataset of an asset. Such fields ask for them when the first response has been
 * read. The dataset of an asset is the only field of that name without arguments.
 */
function nestsResults({ operation, fragments }: OperationInfo): boolean {
  let depth = 0;
  let nests = false;
  const isNested = ({ name, arguments: given = [] }: FieldNode) => name.value === 'dataset' && given.length === 0;
  for (const definition of [operation, ...Object.values(fragments)]) {
    visit(definition, {
      [Kind.FIELD]: {
        enter: (field: FieldNode) => {
          if (depth > 0 && resultsOfDataset.has(field.name.value)) nests = true;
          if (isNested(field)) depth += 1;
        },
        leave: (field: FieldNode) => {
          if (isNested(field)) depth -= 1;
        },
      },
      [Kind.FRAGMENT_SPREAD]: () => {
        if (depth > 0) nests = true;
      },
    });
  }
  return nests;
}
