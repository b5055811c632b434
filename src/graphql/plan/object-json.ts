import type { FieldNode } from 'graphql';
import { type ObjectName, type SelectedField, type SelectionSource, selectionOn } from './selected-fields.ts';

/**
 * Reads the value of a field from its object.
 *
 * @param selected the fields that are selected on the value, if it is an object
 */
export type FieldReader = (source: object, name: string, selected: readonly string[]) => unknown;

/** How fields are read from objects of each type. Those of other types are properties. */
export type FieldReaders = Readonly<Partial<Record<ObjectName, FieldReader>>>;

/** The types of the fields that are objects. */
const nestedTypes: Readonly<Record<string, ObjectName>> = {
  dataset: 'Dataset',
  pageInfo: 'PageInfo',
  processing: 'DatasetProcessing',
  source: 'DatasetSource',
};

/** The path to a value, as a linked list from its end. */
export interface Path {
  readonly parent: Path | undefined;
  readonly key: string | number;
}

/** The JSON of a value at a path. Adds its errors. */
type ToJson = (source: object, path: Path, errors?: Errors) => string;
/** The same; undefined for null because of an error in a non-null part. */
type ToJsonOrNull = (source: object, path: Path, errors?: Errors) => string | undefined;

/** Takes the error of a part of a value. */
export type ErrorOfPart = (path: Path, nodes: readonly FieldNode[], error: Error) => void;
type Errors = { readonly add: ErrorOfPart };

/** A field of an object. */
interface ObjectField {
  readonly key: string;
  readonly prefix: string;
  readonly isNonNull: boolean;
  readonly toJson: ToJsonOrNull;
}

/** Reads the property with the name of the field. */
const readProperty: FieldReader = (source, name) => source[name as keyof typeof source];

/** Compiles selections on small objects to functions that return JSON. */
export class ObjectJson {
  readonly #source: SelectionSource;
  readonly #readers: FieldReaders;

  constructor(source: SelectionSource, readers: FieldReaders = {}) {
    this.#source = source;
    this.#readers = readers;
  }

  /** A field. Its value is a scalar, a list of scalars, or an object. */
  value(field: SelectedField, read: FieldReader): ToJson {
    const toJson = this.#value(field, read);
    return (source, path, errors) => toJson(source, path, errors) ?? 'null';
  }

  #fields(typeName: ObjectName, nodes: readonly FieldNode[]): ObjectField[] {
    const read = this.#readers[typeName] ?? readProperty;
    return selectionOn(typeName, nodes, this.#source).map((field) => {
      const { responseKey: key, isNonNull } = field;
      const typename = JSON.stringify(field.parentType);
      const toJson = field.name === '__typename' ? () => typename : this.#value(field, read);
      return { key, prefix: `${JSON.stringify(key)}:`, isNonNull, toJson };
    });
  }

  #object(typeName: ObjectName, nodes: readonly FieldNode[]): ToJsonOrNull {
    const fields = this.#fields(typeName, nodes);
    return (source, path, errors) => {
      let text = '{';
      for (const { key, prefix, isNonNull, toJson } of fields) {
        const json = toJson(source, { parent: path, key }, errors);
        if (json === undefined && isNonNull) return undefined;
        text += `${text.length === 1 ? '' : ','}${prefix}${json ?? 'null'}`;
      }
      return `${text}}`;
    };
  }

  #value(field: SelectedField, read: FieldReader): ToJsonOrNull {
    const { nodes, name } = field;
    const nestedType = hasSelection(field) ? nestedTypes[name] : undefined;
    const nested = nestedType && this.#object(nestedType, nodes);
    const selected =
      nestedType === undefined ? [] : selectionOn(nestedType, nodes, this.#source).map((each) => each.name);
    return (source, path, errors) => {
      const value = read(source, name, selected);
      if (value instanceof Error) {
        errors?.add(path, nodes, value);
        return undefined;
      }
      if (value === null || value === undefined) return 'null';
      if (nested !== undefined) return nested(value, path, errors);
      return typeof value === 'bigint' ? `"${value}"` : JSON.stringify(value);
    };
  }
}

function hasSelection({ nodes }: SelectedField): boolean {
  return nodes.some(({ selectionSet }) => selectionSet !== undefined);
}
