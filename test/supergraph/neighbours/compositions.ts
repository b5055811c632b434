import type { OtherSubgraph } from '../subgraphs/others.ts';
import { guarded } from './guarded.ts';
import { interfaceObject } from './interfaces.ts';
import { neighbours } from './neighbours.ts';
import { processingOwner, processingQuery } from './owners.ts';
import { provided } from './provides.ts';
import { halfInput, idArgument } from './requires.ts';

/** The composers, as the table of test/supergraph/tables.md names them. */
export type ComposerName = 'Apollo' | 'Guild' | 'WunderGraph' | 'Grafbase';

/** What a composer does with the subgraphs: the word of the table. */
export type Verdict = 'composes' | 'refuses' | 'composes, without `timeRange`';

/** Subgraphs of other teams that are composed with ours: a row of a table of test/supergraph/tables.md. */
export interface Composition {
  readonly title: string;
  readonly neighbours: readonly Pick<OtherSubgraph, 'name' | 'sdl'>[];
  readonly verdicts: Readonly<Record<ComposerName, Verdict>>;
  /** What the message of a composer that refuses them has. */
  readonly reason?: RegExp;
}

/** All compositions, in the order of the table. */
export const compositions: readonly Composition[] = [
  {
    title: 'all neighbours that are not apart, together',
    neighbours,
    verdicts: { Apollo: 'composes', Guild: 'composes', WunderGraph: 'composes', Grafbase: 'composes' },
  },
  {
    title: '`@requires` with an id as an argument',
    neighbours: [idArgument],
    verdicts: { Apollo: 'composes', Guild: 'composes', WunderGraph: 'composes', Grafbase: 'refuses' },
  },
  {
    title: '`@provides(fields: "name")` on a field that returns `Dataset`',
    neighbours: [provided],
    verdicts: { Apollo: 'refuses', Guild: 'composes', WunderGraph: 'composes', Grafbase: 'composes' },
    reason: /Non-shareable field "Dataset.name"/,
  },
  {
    title: '`type Dataset @interfaceObject`',
    neighbours: [interfaceObject],
    verdicts: { Apollo: 'refuses', Guild: 'refuses', WunderGraph: 'refuses', Grafbase: 'composes' },
    reason:
      /"Dataset" is (defined using incompatible types|declared with @interfaceObject)|"Dataset" has mismatched kind/,
  },
  {
    title: 'a `Query` field of the owner that returns `DatasetProcessing`',
    neighbours: [processingQuery],
    verdicts: { Apollo: 'refuses', Guild: 'refuses', WunderGraph: 'composes', Grafbase: 'composes' },
    reason: /cannot find field "DatasetProcessing.name"/,
  },
  {
    title: 'the same; it takes over `name` with `@override(from: "dataset")`',
    neighbours: processingOwner.neighbours,
    verdicts: { Apollo: 'composes', Guild: 'composes', WunderGraph: 'composes', Grafbase: 'composes' },
  },
  {
    title: '`@authenticated` and `@requiresScopes` on fields that a neighbour adds',
    neighbours: guarded.neighbours,
    verdicts: { Apollo: 'composes', Guild: 'composes', WunderGraph: 'composes', Grafbase: 'composes' },
  },
  {
    title: 'an input of ours with some of its fields',
    neighbours: [halfInput],
    verdicts: {
      Apollo: 'composes, without `timeRange`',
      Guild: 'composes, without `timeRange`',
      WunderGraph: 'composes, without `timeRange`',
      Grafbase: 'composes, without `timeRange`',
    },
  },
];

/** The verdict on a schema, which is empty where there is none. */
export function verdictOf(schema: string): Verdict {
  if (schema === '') return 'refuses';
  return /input ResultsFilterInput[^}]*timeRange/.test(schema) ? 'composes' : 'composes, without `timeRange`';
}
