import { readFileSync } from 'node:fs';
import { type ASTNode, type ConstDirectiveNode, Kind, parse, print, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import { breakingChanges } from '../schema/breaking-changes.ts';

const released = readFileSync('test/schema/released.graphql', 'utf8');

/** The SDL without the first element of a name; `null` removes an element from a list in the AST. */
function without(name: string, sdl = released): string {
  return edited(sdl, name, () => null);
}

/** The SDL with the first element of a name deprecated. */
function deprecating(name: string): string {
  const directive: ConstDirectiveNode = { kind: Kind.DIRECTIVE, name: { kind: Kind.NAME, value: 'deprecated' } };
  return edited(released, name, (node) => ({ ...node, directives: [directive] }));
}

/** The SDL with the first element of a name replaced. */
function edited(sdl: string, name: string, replace: (node: ASTNode) => ASTNode | null): string {
  let found = false;
  const enter = (node: ASTNode) => {
    if (found || !('name' in node) || node.name?.value !== name || node.kind === Kind.NAMED_TYPE) return undefined;
    found = true;
    return replace(node);
  };
  const text = print(visit(parse(sdl), { enter }));
  expect(found, name).toBe(true);
  return text;
}

/** The messages of the breaking changes between two SDLs. */
async function messages(before: string, after: string): Promise<string[]> {
  return (await breakingChanges(before, after)).map(({ message }) => message);
}

describe('npm run schema:check', () => {
  it('passes the schema of today', async () => {
    expect(await messages(released, readFileSync('schema.graphql', 'utf8'))).toEqual([]);
  });

  describe.each([
    ['field', 'attributionText', "Field 'attributionText' was removed from object type 'Dataset'"],
    ['argument', 'layout', "Argument 'layout: ResultsFileLayout!' was removed from field 'DatasetResults.rowsFile'"],
    ['input field', 'timeRange', "Input field 'timeRange' was removed from input object type 'ResultsFilterInput'"],
    ['enum value', 'NON_SHARED', "Enum value 'NON_SHARED' was removed from enum 'DatasetSharing'"],
  ])('a removed %s', (_kind, name, message) => {
    it('is refused', async () => expect(await messages(released, without(name))).toEqual([message]));

    it('is refused when it was deprecated after the release', async () => {
      expect(await messages(released, deprecating(name))).toEqual([]);
      const found = await messages(released, without(name, deprecating(name)));
      expect(found).toEqual([message]);
    });

    it('passes when the released SDL marks it as deprecated', async () => {
      expect(await messages(deprecating(name), without(name))).toEqual([]);
    });
  });

  it('lets a type go with the last field that returns it, and only when that field is deprecated', async () => {
    const removed = without('GeoPoint', without('centroid'));
    expect(await messages(deprecating('centroid'), removed)).toEqual([]);
    expect(await messages(released, removed)).toEqual(["Field 'centroid' was removed from object type 'Asset'"]);
  });

  it.each([
    ['the key of an entity', 'type Dataset @key(fields: "id")', 'type Dataset @key(fields: "name")'],
    ['@shareable', 'type PageInfo @shareable', 'type PageInfo'],
    ['the type of a field', 'attributionText: String', 'attributionText: Int'],
    ['an argument to one that must be given', 'filter: ResultsFilterInput', 'filter: ResultsFilterInput!'],
  ])('refuses a change of %s', async (_what, from, to) => {
    expect(released).toContain(from);
    expect(await messages(released, released.replace(from, to))).not.toEqual([]);
  });

  it('passes a new nullable field', async () => {
    const added = released.replace('attributionText: String', 'license: String\n  attributionText: String');
    expect(added).not.toBe(released);
    expect(await messages(released, added)).toEqual([]);
  });
});
