import type { FieldNode } from 'graphql';
import type { ResolversTypes } from '../generated/resolvers.ts';
import type { ErrorSink, Path } from '../results/results.ts';
import { type SelectedField, selectionOn } from './look-ahead.ts';
import type { SelectionSource } from './selections.ts';

/** Reads the value of a field from its object. */
export type FieldReader = (source: object, field: string) => unknown;

/** The JSON of a value at a path. Adds its errors. Undefined for null because of an error in a non-null part. */
type ToJson = (source: object, path: Path, errors?: ErrorSink) => string;
type ToJsonOrNull = (source: object, path: Path, errors?: ErrorSink) => string | undefined;

/** Reads the property with the name of the field. */
export const readProperty: FieldReader = (source, name) => source[name as keyof typeof source];

/** Compiles selections on small objects to functions that return JSON. */
export class ObjectJson {
  readonly #source: SelectionSource;
  readonly #onField: (name: string) => void;
  /** The number of bytes around the values. */
  literalBytes = 0;

  /** @param onField is called with the name of each field of the outermost object */
  constructor(source: SelectionSource, onField: (name: string) => void = () => {}) {
    this.#source = source;
    this.#onField = onField;
  }

  /** A selection on an object. */
  object(typeName: keyof ResolversTypes, nodes: readonly FieldNode[], read: FieldReader): ToJson {
    const toJson = this.#object(typeName, nodes, read, this.#onField);
    return (source, path, errors) => toJson(source, path, errors) ?? 'null';
  }

  /** A field. Its value is a scalar, a list of scalars, or an object of the nested type. */
  value(nestedType: keyof ResolversTypes, field: SelectedField, read: FieldReader): ToJson {
    const toJson = this.#value(nestedType, field, read);
    return (source, path, errors) => toJson(source, path, errors) ?? 'null';
  }

  #object(
    typeName: keyof ResolversTypes,
    nodes: readonly FieldNode[],
    read: FieldReader,
    onField: (name: string) => void = () => {},
  ): ToJsonOrNull {
    const fields = selectionOn(typeName, nodes, this.#source).map((field) => {
      onField(field.name);
      const { responseKey: key, isNonNull } = field;
      const prefix = `${JSON.stringify(key)}:`;
      this.literalBytes += prefix.length + 1;
      const typename = JSON.stringify(field.parentType);
      const toJson =
        field.name === '__typename'
          ? () => typename
          : this.#value(field.name === 'centroid' ? 'GeoPoint' : 'AssetParent', field, read);
      return { key, prefix, isNonNull, toJson };
    });
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

  #value(nestedType: keyof ResolversTypes, field: SelectedField, read: FieldReader): ToJsonOrNull {
    const { nodes, responseKey: key, name } = field;
    const hasSelection = nodes.some((node) => node.selectionSet !== undefined);
    const nested = hasSelection ? this.#object(nestedType, nodes, readProperty) : undefined;
    const origin = { key, nodes };
    return (source, path, errors) => {
      const value = read(source, name);
      if (value instanceof Error) {
        errors?.add(path, origin, value);
        return undefined;
      }
      if (value === null || value === undefined) return 'null';
      if (nested !== undefined) return nested(value, path, errors);
      return typeof value === 'bigint' ? `"${value}"` : JSON.stringify(value);
    };
  }
}
