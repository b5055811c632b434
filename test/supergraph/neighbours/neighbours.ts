import { defer } from './defer.ts';
import { extensions } from './extensions.ts';
import { interfaces } from './interfaces.ts';
import type { Topic } from './neighbour.ts';
import { override } from './override.ts';
import { owners } from './owners.ts';
import { provides } from './provides.ts';
import { references } from './references.ts';
import { requires } from './requires.ts';

const topics: readonly Topic[] = [references, extensions, requires, provides, override, interfaces, owners, defer];

/** The subgraphs of other teams, which make one supergraph with ours. */
export const neighbours = topics.flatMap((topic) => topic.neighbours);

/** All cases, in the order of the table. */
export const neighbourCases = topics.flatMap(({ cases }) => cases);
