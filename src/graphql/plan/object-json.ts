import type { FieldNode } from 'graphql';
import type { ErrorSink, Path } from '../../results/results.ts';
import { type ObjectName, type SelectedField, type SelectionSource, selectionOn } from './selected-fields.ts';

/**
 * Reads the value of a field from its object.
 *
 * @param selected the fields that are selected on the value, if it is an object
 * @param field the same field, with its arguments
 */
export type FieldReader = (source: object, name: string, selected: readonly string[], field: SelectedField) => unknown;

/** How fields are read from objects of each type. Those of other types are properties. */
export type FieldReaders = Readonly<Partial<Record<ObjectName, FieldReader>>>;

/** The types of the fields that are objects. */
const nestedTypes: Readonly<Record<string, ObjectName>> = {
  asset: 'Asset',
  centroid: 'GeoPoint',
  dataset: 'Dataset',
  first: 'MetricPoint',
  last: 'MetricPoint',
  maximum: 'MetricPoint',
  minimum: 'MetricPoint',
  pageInfo: 'PageInfo',
  parent: 'AssetParent',
  processing: 'DatasetProcessing',
  source: 'DatasetSource',
};

/** The JSON of a value at a path. Adds its errors. Undefined for null because of an error in a non-null part. */
type ToJson = (source: object, path: Path, errors?: Errors) => string;
type ToJsonOrNull = (source: object, path: Path, errors?: Errors) => string | undefined;
type ToPieces = (source: object, path: Path, errors?: Errors) => Iterable<string>;
type Errors = Pick<ErrorSink, 'add'>;

/** A field of an object. */
interface ObjectField {
  readonly key: string;
  readonly prefix: string;
  readonly isNonNull: boolean;
  readonly isObject: boolean;
  readonly toJson: ToJsonOrNull;
  /** The value piece by piece, if it is a list of objects or of lists. */
  readonly list: ToPieces | undefined;
}

/** The types of the objects in lists, by the name of the type around them. Such a type has one list of objects. */
const listedTypes: Readonly<Partial<Record<ObjectName, ObjectName>>> = {
  AggregatesByDate: 'MetricAggregates',
};

/** The fields that are lists of lists, by the name of the type around them. */
const listsOfLists: Readonly<Partial<Record<ObjectName, string>>> = { MetricAggregates: 'quantiles' };

/** The number of bytes of a null. */
const NULL_BYTES = 4;

/** Reads the property with the name of the field. */
export const readProperty: FieldReader = (source, name) => source[name as keyof typeof source];

/** Compiles selections on small objects to functions that return JSON. */
export class ObjectJson {
  readonly #source: SelectionSource;
  readonly #readers: FieldReaders;
  /** The number of bytes around the values, and of values that are null or constant. */
  literalBytes = 0;

  constructor(source: SelectionSource, readers: FieldReaders = {}) {
    this.#source = source;
    this.#readers = readers;
  }

  /** A selection on an object, piece by piece: each field is one, so that many fields are not one long text. */
  pieces(
    typeName: ObjectName,
    nodes: readonly FieldNode[],
  ): (source: object, path?: Path, errors?: Errors) => Iterable<string> {
    const fields = this.#fields(typeName, nodes);
    return function* (source, path, errors) {
      // Only an object can be missing, and then there is nothing around it either.
      const objects = new Map<string, string>();
      for (const { key, isNonNull, isObject, toJson } of fields) {
        if (!isNonNull || !isObject) continue;
        const json = toJson(source, { parent: path, key }, errors);
        if (json === undefined) return yield 'null';
        objects.set(key, json);
      }
      let before = '{';
      for (const { key, prefix, toJson, list } of fields) {
        if (list === undefined)
          yield `${before}${prefix}${objects.get(key) ?? toJson(source, { parent: path, key }, errors) ?? 'null'}`;
        else {
          yield before + prefix;
          yield* list(source, { parent: path, key }, errors);
        }
        before = ',';
      }
      yield fields.length === 0 ? '{}' : '}';
    };
  }

  /** A list of objects, piece by piece: each field of each object is one. */
  list(
    typeName: ObjectName,
    nodes: readonly FieldNode[],
  ): (objects: Iterable<object>, path?: Path, errors?: Errors) => Iterable<string> {
    const pieces = this.pieces(typeName, nodes);
    return (objects, path, errors) =>
      listOf(objects, (object, index) => pieces(object, { parent: path, key: index }, errors));
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
      const prefix = `${JSON.stringify(key)}:`;
      const typename = JSON.stringify(field.parentType);
      this.literalBytes += prefix.length + (field.name === '__typename' ? typename.length : NULL_BYTES) + 2;
      const common = { key, prefix, isNonNull, list: undefined };
      if (field.name === '__typename') return { ...common, isObject: false, toJson: () => typename };
      const list = this.#list(typeName, field, read);
      if (list === undefined) return { ...common, isObject: hasSelection(field), toJson: this.#value(field, read) };
      const toJson: ToJson = (...given) => [...list(...given)].join('');
      return { ...common, isObject: false, toJson, list };
    });
  }

  /** A list of objects or of lists, piece by piece. Undefined for any other field. */
  #list(typeName: ObjectName, field: SelectedField, read: FieldReader): ToPieces | undefined {
    const { name, nodes, responseKey: key } = field;
    if (listsOfLists[typeName] === name) {
      return function* (source, path, errors) {
        const value = read(source, name, [], field);
        if (value instanceof Error) {
          errors?.add(path, { key, nodes }, value);
          yield 'null';
        } else yield* listOf(value as Iterable<unknown>, (each) => [JSON.stringify(each)]);
      };
    }
    const listed = hasSelection(field) ? listedTypes[typeName] : undefined;
    if (listed === undefined) return undefined;
    const items = this.list(listed, nodes);
    return (source, path, errors) => items(read(source, name, [], field) as Iterable<object>, path, errors);
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
    const { nodes, responseKey: key, name } = field;
    const nestedType = hasSelection(field) ? nestedTypes[name] : undefined;
    const nested = nestedType && this.#object(nestedType, nodes);
    const selected =
      nestedType === undefined ? [] : selectionOn(nestedType, nodes, this.#source).map((each) => each.name);
    const origin = { key, nodes };
    return (source, path, errors) => {
      const value = read(source, name, selected, field);
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

/** The JSON of a list, piece by piece. */
function* listOf<T>(items: Iterable<T>, piecesOf: (item: T, index: number) => Iterable<string>): Iterable<string> {
  let before = '[';
  let index = 0;
  for (const item of items) {
    for (const piece of piecesOf(item, index)) {
      yield before + piece;
      before = '';
    }
    before = ',';
    index += 1;
  }
  yield before === '[' ? '[]' : ']';
}

function hasSelection({ nodes }: SelectedField): boolean {
  return nodes.some(({ selectionSet }) => selectionSet !== undefined);
}
