import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import {
  type ASTNode,
  type DocumentNode,
  type GraphQLSchema,
  isTypeDefinitionNode,
  Kind,
  type Location,
  type OperationTypeNode,
  parse,
  visit,
} from 'graphql';
import { packageRoot } from '../../core/package.ts';
import { readTypeDefs } from '../schema/executable-schema.ts';
import { nameInSchema } from '../schema/schema-names.ts';

/** The folder of the operations, in a checkout and in the package. */
const folder = new URL('operations/', packageRoot);

const EXTENSION = '.graphql';

/** An operation of `operations/`. */
export interface NamedOperation {
  /** The name of the operation, and of its file. */
  readonly name: string;
  readonly type: `${OperationTypeNode}`;
  /** The text of the file without the line break at its end, with the names of the schema. */
  readonly text: string;
}

/**
 * Reads the operations of `operations/`, in the order of their names.
 *
 * @param schema a schema made by `createSchema`, which can have other names than `schema.graphql`
 */
export function readOperations(schema: GraphQLSchema): NamedOperation[] {
  const files = readdirSync(fileURLToPath(folder)).filter((file) => file.endsWith(EXTENSION));
  const rename = renamingFor(schema);
  return files.toSorted().map((file) => {
    const text = readFileSync(new URL(file, folder), 'utf8').trimEnd();
    const document = parse(text);
    return { name: file.slice(0, -EXTENSION.length), type: typeOf(document), text: rename(text, document) };
  });
}

function typeOf({ definitions }: DocumentNode): NamedOperation['type'] {
  for (const definition of definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) return definition.operation;
  }
  throw new Error('A file of operations/ has no operation.');
}

/** Renames types and root fields in the text of an operation, which keeps its comments, its layout and its response. */
function renamingFor(schema: GraphQLSchema): (text: string, document: DocumentNode) => string {
  const types = readTypeDefs().definitions.filter(isTypeDefinitionNode);
  const names = new Map(types.map(({ name }) => [name.value, nameInSchema(name.value, schema)]));
  return (text, document) => {
    let renamed = '';
    let end = 0;
    const replace = (loc: Location | undefined, name: string) => {
      if (loc === undefined) return;
      renamed += text.slice(end, loc.start) + name;
      end = loc.end;
    };
    visit(document, {
      NamedType: ({ loc, name }) => replace(loc, names.get(name.value) ?? name.value),
      Field: ({ alias, name: { loc, value } }, _key, _parent, _path, ancestors) => {
        // The document, its definitions, the operation and its selection set.
        const [, , definition] = ancestors as readonly ASTNode[];
        if (ancestors.length !== 4 || definition?.kind !== Kind.OPERATION_DEFINITION) return;
        const name = nameInSchema(`Query.${value}`, schema);
        if (name !== value) replace(loc, alias === undefined ? `${value}: ${name}` : name);
      },
    });
    return renamed + text.slice(end);
  };
}
