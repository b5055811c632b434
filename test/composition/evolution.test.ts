import { type DocumentNode, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { withMoreOfEach } from '../schema/more-of-each.ts';
import { halfInput, idArgument } from '../supergraph/neighbours/compositions.ts';
import { neighbours } from '../supergraph/neighbours/neighbours.ts';
import { requiredArguments } from '../supergraph/neighbours/required-arguments.ts';
import { otherSubgraphs, sdlOf } from '../supergraph/subgraphs/schemas.ts';
import { composers } from './composers.ts';

/** A subgraph of another team. */
interface Other {
  readonly name: string;
  readonly sdl: string;
}

const subgraph = (name: string, typeDefs: DocumentNode) => ({ name, url: `https://${name}.example/graphql`, typeDefs });
const later = subgraph('dataset', withMoreOfEach(readTypeDefs()));

/** Subgraphs that follow docs/federation.md. */
const following: Readonly<Record<string, readonly Other[]>> = {
  'the neighbours': neighbours,
  'the other subgraphs of the supergraph': otherSubgraphs.map((name) => ({ name, sdl: sdlOf(name) })),
};

/** How often a supergraph has what was added: our types, once each, may be written in several ways. */
const count = (schema: string) => schema.match(/\bmore\b/gi)?.length ?? 0;

/** Clause 3.2 says what the schema may gain: docs/compatibility.md. */
describe.each(Object.entries(composers))('A schema that gained one more of each, composed by %s', (_, compose) => {
  const alone = compose([later]);

  it('composes alone', () => {
    expect(alone.errors).toEqual([]);
    expect(count(alone.schema)).toBeGreaterThan(50);
  });

  it.each(Object.entries(following))('composes with %s, and loses nothing', (_title, others) => {
    const { errors, schema } = compose([later, ...others.map(({ name, sdl }) => subgraph(name, parse(sdl)))]);
    expect(errors).toEqual([]);
    expect(count(schema)).toBe(count(alone.schema));
  });

  it.each([
    ['requires what has arguments', requiredArguments.neighbours[0]],
    ['declares a field with an argument', idArgument],
    ['declares a part of an input', halfInput],
  ])('does not, or loses something, with a neighbour that %s', (_title, other) => {
    if (other === undefined) expect.unreachable();
    const { errors, schema } = compose([later, subgraph(other.name, parse(other.sdl))]);
    expect(errors.length > 0 || count(schema) < count(alone.schema)).toBe(true);
  });
});
