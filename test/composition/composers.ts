import apollo from '@apollo/composition';
import { composeServices } from '@theguild/federation-composition';
import { federateSubgraphs } from '@wundergraph/composition';
// The copy of graphql beside the composers, which made the schemas that are printed.
import { type DocumentNode, printSchema } from 'graphql';

/** A subgraph as a composer takes it. */
export interface ComposedSubgraph {
  readonly name: string;
  readonly url: string;
  readonly typeDefs: DocumentNode;
}

/** What a composer makes, and says. */
interface Composed {
  /** Why the subgraphs do not make a supergraph; empty where they do. */
  readonly errors: readonly string[];
  /** What it advises although they do. */
  readonly hints: readonly string[];
  /** The schema of the supergraph; empty where there is none. */
  readonly schema: string;
}

type Composer = (subgraphs: readonly ComposedSubgraph[]) => Composed;

const messages = (list: readonly { message: string }[] = []) => list.map(({ message }) => message);

/** The composers by the names of their packages. */
export const composers: Readonly<Record<string, Composer>> = {
  '@apollo/composition': (subgraphs) => {
    const { errors, hints, supergraphSdl = '' } = apollo.composeServices([...subgraphs]);
    return { errors: messages(errors), hints: messages(hints), schema: supergraphSdl };
  },
  // It has no hints.
  '@theguild/federation-composition': (subgraphs) => {
    const { errors, supergraphSdl = '' } = composeServices([...subgraphs]);
    return { errors: messages(errors), hints: [], schema: supergraphSdl };
  },
  '@wundergraph/composition': (subgraphs) => {
    const definitions = subgraphs.map(({ name, url, typeDefs }) => ({ name, url, definitions: typeDefs }));
    const result = federateSubgraphs({ subgraphs: definitions, version: '1' });
    const hints = messages(result.warnings);
    if (!result.success) return { errors: messages(result.errors), hints, schema: '' };
    return { errors: [], hints, schema: printSchema(result.federatedGraphSchema) };
  },
};

/** The supergraph schema, as routers read it. Throws where there is none. */
export function composeSupergraph(subgraphs: readonly ComposedSubgraph[]): string {
  const { supergraphSdl, errors } = apollo.composeServices([...subgraphs]);
  if (supergraphSdl === undefined) throw new Error(messages(errors).join('\n'));
  return supergraphSdl;
}
