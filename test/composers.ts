import apollo from '@apollo/composition';
import { composeServices } from '@theguild/federation-composition';
import { federateSubgraphs } from '@wundergraph/composition';
import type { DocumentNode } from 'graphql';

/** A subgraph as a composer takes it. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly typeDefs: DocumentNode;
}

/** What a composer says. */
export interface Verdict {
  /** Why the subgraphs do not make a supergraph; empty where they do. */
  readonly errors: readonly string[];
  /** What it advises although they do. */
  readonly hints: readonly string[];
}

type Composer = (subgraphs: readonly ComposedSubgraph[]) => Verdict;

const messages = (list: readonly { message: string }[] = []) => list.map(({ message }) => message);

/** The composers by the names of their packages. */
export const composers: Readonly<Record<string, Composer>> = {
  '@apollo/composition': (subgraphs) => {
    const { errors, hints } = apollo.composeServices([...subgraphs]);
    return { errors: messages(errors), hints: messages(hints) };
  },
  // It has no hints.
  '@theguild/federation-composition': (subgraphs) => {
    const { errors } = composeServices([...subgraphs]);
    return { errors: messages(errors), hints: [] };
  },
  '@wundergraph/composition': (subgraphs) => {
    const definitions = subgraphs.map(({ name, url, typeDefs }) => ({ name, url, definitions: typeDefs }));
    const result = federateSubgraphs({ subgraphs: definitions, version: '1' });
    return { errors: result.success ? [] : messages(result.errors), hints: messages(result.warnings) };
  },
};

/** The supergraph schema, as routers read it. Throws where there is none. */
export function composeSupergraph(subgraphs: readonly ComposedSubgraph[]): string {
  const { supergraphSdl, errors } = apollo.composeServices([...subgraphs]);
  if (supergraphSdl === undefined) throw new Error(messages(errors).join('\n'));
  return supergraphSdl;
}
