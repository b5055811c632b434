import { printSchemaWithDirectives } from '@graphql-tools/utils';
import { createSchema } from '../../src/graphql/schema/executable-schema.ts';

/** The executable schema as SDL, with what federation adds to schema.graphql. */
export const printedSchema: string = printSchemaWithDirectives(createSchema());
