import { readFileSync } from 'node:fs';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { type ASTNode, isEnumType, parse, print, visit } from 'graphql';
import { describe, expect, it } from 'vitest';
import { enumUses, forbiddenChanges } from '../schema/evolution.ts';
import { withMoreOfEach } from '../schema/more-of-each.ts';

/** The SDL without its descriptions. */
const withoutDescription = (node: ASTNode) =>
  'description' in node && node.description ? { ...node, description: undefined } : undefined;
const sdl = print(visit(parse(readFileSync('schema.graphql', 'utf8')), { enter: withoutDescription }));

/** The SDL with its first such text replaced. */
function edited(text: string, replacement: string, from = sdl): string {
  expect(from).toContain(text);
  return from.replace(text, replacement);
}

describe('The schema', () => {
  it('has changed nothing of the released one against the rules', () => {
    expect(forbiddenChanges(readFileSync('test/schema/released.graphql', 'utf8'), sdl)).toEqual([]);
  });

  it('may gain one more of each in each place that the rules allow', () => {
    const more = print(withMoreOfEach(parse(sdl)));
    expect(more.match(/\bmore\b/gi)?.length).toBeGreaterThan(50);
    expect(forbiddenChanges(sdl, more)).toEqual([]);
  });

  it.each([
    [
      'a field to a type that others may return',
      'latitude: Float!',
      'latitude: Float!\n  altitude: Float',
      ['GeoPoint.altitude was added: other subgraphs may return the type.'],
    ],
    [
      'a value to an enum of responses',
      'UNRECOGNIZED',
      'UNRECOGNIZED\n  PUBLIC',
      ['DatasetSharing.PUBLIC was added: responses have the enum.'],
    ],
    [
      'a member with a default to an input',
      'stop: TimeBound',
      'stop: TimeBound\n  isOpen: Boolean = false',
      ['TimeRangeInput.isOpen was added: its default is not null.'],
    ],
  ])('does not gain %s', (_title, text, replacement, changes) => {
    expect(forbiddenChanges(sdl, edited(text, replacement))).toEqual(changes);
  });

  it.each([['a field', '  attributionText: String\n', '', 'Dataset.attributionText was removed.']])(
    'loses %s only if that was deprecated in an earlier release',
    (_title, text, replacement, change) => {
      const without = edited(text, replacement);
      const deprecated = edited(text, text.replace(/\n?$/, ' @deprecated$&'));
      expect(forbiddenChanges(sdl, without)).toEqual([change]);
      expect(forbiddenChanges(sdl, deprecated)).toEqual([]);
      expect(forbiddenChanges(deprecated, without)).toEqual([]);
    },
  );

  it.each([
    [
      'a default',
      'offset: Int! = 0',
      'offset: Int! = 1',
      'AssetSeries.rows arg offset has changed defaultValue from 0 to 1.',
    ],
    ['the key of an entity', '@key(fields: "id")', '@key(fields: "name")', 'Dataset lost @key(fields: "id").'],
    ['what other subgraphs may return', 'type PageInfo @shareable', 'type PageInfo', 'PageInfo lost @shareable.'],
  ])('does not change %s', (_title, text, replacement, change) => {
    expect(forbiddenChanges(sdl, edited(text, replacement))).toEqual([change]);
  });

  it('has enums of arguments and enums of responses, and none of both', () => {
    const schema = buildSubgraphSchema(parse(sdl));
    const { ofArguments, ofResponses } = enumUses(schema);
    expect(ofArguments.intersection(ofResponses)).toEqual(new Set());
    // Every client knows what it does with a value that the service may send one day.
    for (const name of ofResponses) {
      const type = schema.getType(name);
      if (!isEnumType(type)) expect.unreachable();
      expect(type.getValue('UNRECOGNIZED'), name).toBeDefined();
    }
  });
});
