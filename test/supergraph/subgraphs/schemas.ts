import { readFileSync } from 'node:fs';
import { type DocumentNode, parse } from 'graphql';

/** The other teams' subgraphs in the tests' supergraph. */
export const otherSubgraphs = ['catalog', 'inspections'] as const;

/** The media team's subgraph has names of ours: the rest of the supergraph has it only with SCHEMA_NAMES. */
export type OtherName = (typeof otherSubgraphs)[number] | 'media';

/** The file with the schema of another team's subgraph. */
export function schemaFileOf(name: OtherName): URL {
  return new URL(`${name}.graphql`, import.meta.url);
}

/** The schema of another team's subgraph, as text. */
export function sdlOf(name: OtherName): string {
  return readFileSync(schemaFileOf(name), 'utf8');
}

/** The schema of another team's subgraph. */
export function typeDefsOf(name: OtherName): DocumentNode {
  return parse(sdlOf(name));
}
