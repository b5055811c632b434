import fc from 'fast-check';
import {
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { createSchema } from '../../src/graphql/schema/executable-schema.ts';
import { DATASET_ID } from '../support/harness.ts';
import { ASSET_IDS } from '../support/results-selections.ts';

/** Random documents made from the schema alone, the same ones broken, and variables of all shapes. */

const schema = createSchema();

/** Texts with which programs have had trouble. */
const odd = fc.constantFrom(
  '',
  '.',
  '..',
  '%2e%2e',
  '../../x',
  'a/b?c#d',
  '\u0000',
  '\ud800',
  '\u202e',
  '__proto__',
  'constructor',
  'x'.repeat(201),
  "'; --",
  '\r\nx: y',
  '9223372036854775808',
  '-9223372036854775808',
  '2024-02-30T00:00:00Z',
  '2024-01-01T00:00:00Z',
  'W10',
);

const text = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(DATASET_ID, ...ASSET_IDS, 'm') },
  { weight: 2, arbitrary: odd },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 20 }) },
);

const number = fc.oneof(
  fc.constantFrom('0', '-0', '-1', '1', '2', '2147483647', '2147483648', '1.5', '1e400', '9007199254740993'),
  fc.integer().map(String),
);

/** A value as GraphQL text, of any kind. */
const anyValue: fc.Arbitrary<string> = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    text.map((value) => JSON.stringify(value)),
    number,
    fc.constantFrom('true', 'null', 'MILLISECONDS', 'NO_SUCH', '$id', '$none', '"""block"""'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(' ')}]`),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `{${items.map((item, index) => `k${index}: ${item}`)}}`),
  ),
})).value;

/** A value of a type, as GraphQL text; now and then of another. */
function valueFor(type: GraphQLInputType): fc.Arbitrary<string> {
  return fc.oneof({ weight: 60, arbitrary: usualValue(type) }, { weight: 1, arbitrary: anyValue });
}

function usualValue(type: GraphQLInputType): fc.Arbitrary<string> {
  if (isNonNullType(type)) return usualValue(type.ofType);
  if (isListType(type)) return fc.array(valueFor(type.ofType), { maxLength: 4 }).map((items) => `[${items.join(' ')}]`);
  if (isEnumType(type)) return fc.constantFrom(...type.getValues().map(({ name }) => name));
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields()).map((field) =>
      fc.option(valueFor(field.type).map((value) => `${field.name}: ${value}`)),
    );
    return fc.tuple(...fields).map((parts) => `{${parts.filter((part) => part !== null).join(' ')}}`);
  }
  if (type.name === 'Int')
    return fc.oneof({ weight: 20, arbitrary: fc.integer().map(String) }, { weight: 1, arbitrary: number });
  if (type.name === 'TimeBound')
    return fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom('0', '1', '-1', '"2024-01-01T00:00:00Z"', '"9223372036854775807"') },
      { weight: 1, arbitrary: number },
    );
  if (type.name === '_Any') {
    return fc
      .tuple(fc.constantFrom(...Array(9).fill('Dataset'), ...Array(9).fill('Asset'), 'Metric'), text, text)
      .map(
        ([name, id, asset]) =>
          `{__typename: "${name}" id: ${JSON.stringify(id)} datasetId: ${JSON.stringify(DATASET_ID)} assetId: ${JSON.stringify(asset)}}`,
      );
  }
  return fc.oneof(
    { weight: type.name === 'ID' ? 4 : 0, arbitrary: fc.constant('$id') },
    { weight: 3, arbitrary: text.map((t) => JSON.stringify(t)) },
  );
}

const decoration = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom(' @skip(if: false)', ' @include(if: true)', ' @skip(if: true)') },
);
const alias = fc.oneof(
  { weight: 12, arbitrary: fc.constant('') },
  { weight: 1, arbitrary: fc.constantFrom('a: ', 'b: ', '__proto__: ', 'constructor: ', 'then: ', 'errors: ') },
);

/** A selection set on a type of the schema. */
function selectionOn(type: GraphQLOutputType, depth: number): fc.Arbitrary<string> {
  const named = getNamedType(type);
  if (isUnionType(named)) {
    const parts = named.getTypes().map((part) => selectionOn(part, depth).map((set) => `... on ${part.name} ${set}`));
    return fc.tuple(...parts).map((chosen) => `{ __typename ${chosen.join(' ')} }`);
  }
  if (!isObjectType(named)) return fc.constant('');
  const fields = Object.values(named.getFields()).filter(
    ({ type: fieldType }) => depth > 0 || !isObjectType(getNamedType(fieldType)),
  );
  if (fields.length === 0) return fc.constant('{ __typename }');
  return fc
    .subarray(fields, { minLength: 1, maxLength: Math.min(5, fields.length) })
    .chain((chosen) => fc.tuple(fc.constantFrom('', '__typename '), ...chosen.map((field) => fieldOf(field, depth))))
    .map((parts) => `{ ${parts.join(' ')} }`);
}

function fieldOf(field: ReturnType<GraphQLObjectType['getFields']>[string], depth: number): fc.Arbitrary<string> {
  const args = field.args.map((argument) => {
    const given = valueFor(argument.type).map((value) => `${argument.name}: ${value}`);
    return isNonNullType(argument.type) ? given : fc.option(given);
  });
  return fc
    .tuple(alias, fc.tuple(...args), decoration, selectionOn(field.type, depth - 1))
    .map(([name, given, directives, set]) => {
      const list = given.filter((argument) => argument !== null);
      return `${name}${field.name}${list.length === 0 ? '' : `(${list.join(' ')})`}${directives} ${set}`;
    });
}

const query = schema.getQueryType();
if (query === null || query === undefined) throw new Error('The schema has no queries.');

/** Operations of the schema, most of them valid. */
const operations = fc
  .tuple(
    fc.oneof(
      { weight: 8, arbitrary: selectionOn(query, 6) },
      { weight: 1, arbitrary: fc.constant('{ __schema { types { name fields { name } } } }') },
      { weight: 1, arbitrary: fc.constant('{ _service { sdl } __type(name: "Dataset") { name } }') },
    ),
    fc.boolean(),
  )
  .map(([set, inFragment]) =>
    inFragment
      ? `query ($id: ID! = "${DATASET_ID}") { ...F } fragment F on Query ${set}`
      : `query ($id: ID! = "${DATASET_ID}") ${set}`,
  );

const junk = fc.constantFrom(
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '$',
  '...',
  '@',
  ':',
  '"',
  '"""',
  '#',
  '\u0000',
  '\ufeff',
  'mutation',
  'fragment F on Query { ...F }',
  '&',
  '|',
  '!',
  '0x',
  '\\u',
  '...F',
);

/** A text with a part left out, said twice, or replaced by junk. */
const broken = fc
  .tuple(operations, fc.array(fc.tuple(fc.nat(), fc.nat(30), fc.option(junk)), { minLength: 1, maxLength: 4 }))
  .map(([document, wounds]) =>
    wounds.reduce((whole, [place, length, put]) => {
      const at = place % (whole.length + 1);
      return whole.slice(0, at) + (put ?? whole.slice(at, at + length).repeat(2)) + whole.slice(at + length);
    }, document),
  );

/** Documents: valid ones, broken ones, and text that is none. */
export const documents: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: operations },
  { weight: 3, arbitrary: broken },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 200 }) },
);

/** What stands where variables should: mostly an object with an id, of any value. */
export const variables: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 3, arbitrary: fc.constant(undefined) },
  { weight: 3, arbitrary: fc.record({ id: text }) },
  { weight: 2, arbitrary: fc.record({ id: fc.jsonValue() }) },
  { weight: 1, arbitrary: fc.jsonValue() },
);
