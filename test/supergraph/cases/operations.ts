import { globSync, readFileSync } from 'node:fs';
import { parse, print, type VariableDefinitionNode } from 'graphql';
import { expect } from 'vitest';
import { DATASET_ID } from '../../support/harness.ts';
import { WIDE_ID } from '../data.ts';
import type { Cases } from './case.ts';

/** Values of variables by their type, and if that is not enough by their name. */
const values: Readonly<Record<string, unknown>> = {
  'ID!': WIDE_ID,
  '[Float!]!': [0.25, 0.5],
  '[ID!]!': ['asset-1', 'asset-2'],
  ids: [DATASET_ID, WIDE_ID],
  'Int!': 2,
  'String!': 'temperature',
  'TimeRangeInput!': { start: '2024-01-01T00:00:00Z', stop: '2024-12-31T23:59:59Z' },
};
const assetIds = ['assetId', 'a', 'b', 'c'];

/** Their URLs are forbidden here: the subgraph has no secret for download tickets. */
const forFiles = /(Download|File)\.graphql$/;

/** The value of a variable. Undefined for one that may be absent. */
function variableValue({ variable, type, defaultValue }: VariableDefinitionNode): unknown {
  if (defaultValue !== undefined) return undefined;
  const { value: name } = variable.name;
  return assetIds.includes(name) ? 'asset-1' : (values[name] ?? values[print(type)]);
}

export const operations: Cases = {
  'uses the default of a variable that is a list, or refuses it': async ({ gateway, query, calls }) => {
    const { body } = await query(`query Default($ids: [ID!]! = ["${DATASET_ID}"]) { datasetsByIds(ids: $ids) { id } }`);
    if (gateway.habits.refusesListDefault)
      expect(body.errors[0].extensions).toEqual({ code: 'OPERATION_VALIDATION_ERROR' });
    else expect(body).toEqual({ data: { datasetsByIds: [{ id: DATASET_ID }] } });
    expect(calls()).toEqual([]);
  },

  'passes on the responses to the operations of operations/': async ({ query, querySubgraph }) => {
    for (const file of globSync('operations/*.graphql').sort()) {
      const document = readFileSync(file, 'utf8');
      const definitions = parse(document).definitions.flatMap((definition) =>
        'variableDefinitions' in definition ? (definition.variableDefinitions ?? []) : [],
      );
      const variables = Object.fromEntries(definitions.map((each) => [each.variable.name.value, variableValue(each)]));
      const [{ body }, own] = [await query(document, { variables }), await querySubgraph(document, { variables })];
      const errors = own.body.errors?.map(() => expect.objectContaining({ message: own.body.errors[0].message }));
      expect([file, body.data, body.errors]).toEqual([file, own.body.data, errors]);
      if (!forFiles.test(file)) expect([file, errors]).toEqual([file, undefined]);
    }
  },
};
