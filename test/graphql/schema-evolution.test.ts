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
      'an argument that must be given',
      'offset: Int! = 0',
      'offset: Int! = 0\n    step: Int!',
      [
        'A required arg step on AssetSeries.rows was added.',
        'AssetSeries.rows.step was added: its default is not null.',
      ],
    ],
    [
      'an argument to a field that had none',
      'latest: Result',
      'latest(before: TimeBound): Result',
      ['AssetSeries.latest.before was added: other subgraphs may declare the field without arguments.'],
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

  it.each([
    ['a field', '  attributionText: String\n', '', 'Dataset.attributionText was removed.'],
    ['an argument', ', offset: Int! = 0', '', 'AssetSeries.rows arg offset was removed.'],
    ['a member of an input', '  timeRange: TimeRangeInput\n', '', 'ResultsFilterInput.timeRange was removed.'],
    ['a value', '  NON_SHARED\n', '', 'NON_SHARED was removed from enum type DatasetSharing.'],
  ])('loses %s only if that was deprecated in an earlier release', (_title, text, replacement, change) => {
    const without = edited(text, replacement);
    const deprecated = edited(text, text.replace(/\n?$/, ' @deprecated$&'));
    expect(forbiddenChanges(sdl, without)).toEqual([change]);
    expect(forbiddenChanges(sdl, deprecated)).toEqual([]);
    expect(forbiddenChanges(deprecated, without)).toEqual([]);
  });

  it.each([
    [
      'a default',
      'offset: Int! = 0',
      'offset: Int! = 1',
      'AssetSeries.rows arg offset has changed defaultValue from 0 to 1.',
    ],
    [
      'the type of a field',
      'attributionText: String',
      'attributionText: Int',
      'Dataset.attributionText changed type from String to Int.',
    ],
    [
      'an argument to one that must be given',
      'results(filter: ResultsFilterInput)',
      'results(filter: ResultsFilterInput!)',
      'Dataset.results arg filter has changed type from ResultsFilterInput to ResultsFilterInput!.',
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
