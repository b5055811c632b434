import { readFileSync } from 'node:fs';
import { isEnumType, isInputObjectType, isObjectType, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createSchema, readTypeDefs } from '../../src/graphql/schema/executable-schema.ts';
import { start } from '../support/harness.ts';

describe('2 Schema', () => {
  const ofFederation = /^(_|federation__|link__|FieldSet$|Import$)/;
  const types = Object.values(createSchema().getTypeMap()).filter(
    ({ name, astNode }) => astNode !== undefined && astNode !== null && !ofFederation.test(name),
  );

  it('describes every type, field, argument and value for its users', () => {
    const elements = types.flatMap((type) => {
      const fields = isObjectType(type) || isInputObjectType(type) ? Object.values(type.getFields()) : [];
      const own = fields.filter(({ name }) => !ofFederation.test(name));
      const args = own.flatMap((field) => ('args' in field ? field.args : []));
      return [type, ...own, ...args, ...(isEnumType(type) ? type.getValues() : [])];
    });
    expect(elements.length).toBeGreaterThan(100);
    const bare = elements.filter(({ description }) => !description);
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it('is what `_service` gives to routers, descriptions included', async () => {
    const { query } = await start();
    const { body } = await query('{ _service { sdl } }', { token: null });
    for (const definition of readTypeDefs().definitions) expect(body.data._service.sdl).toContain(print(definition));
    expect(readFileSync('schema.graphql', 'utf8')).toContain('federation/v2.9');
  });
});
