import { defer } from './defer.ts';
import { extensions } from './extensions.ts';
import { guarded } from './guarded.ts';
import { interfaces } from './interfaces.ts';
import type { Topic } from './neighbour.ts';
import { override } from './override.ts';
import { owners, processingOwner } from './owners.ts';
import { provides } from './provides.ts';
import { references } from './references.ts';
import { requiredArguments } from './required-arguments.ts';
import { requires } from './requires.ts';

const topics: readonly Topic[] = [
  references,
  extensions,
  requires,
  requiredArguments,
  provides,
  override,
  interfaces,
  owners,
  processingOwner,
  guarded,
  defer,
];
const together = topics.filter(({ isApart }) => !isApart);

/** The subgraphs of other teams, which make one supergraph with ours. */
export const neighbours = together.flatMap((topic) => topic.neighbours);

/** That supergraph and its cases, and each that is apart. */
export const supergraphs: readonly Topic[] = [
  { neighbours, cases: together.flatMap(({ cases }) => cases) },
  ...topics.filter(({ isApart }) => isApart),
];

/** The subgraphs of all of them. */
export const neighbourSubgraphs = topics.flatMap((topic) => topic.neighbours);

/** All cases, in the order of the table. */
export const neighbourCases = topics.flatMap(({ cases }) => cases);
