import { attributes } from '../../../engine/index.ts';

/**
 * The fields of the responses of the service, each in one line: the name of this project for its value, then its name on the
 * wire, its type, and the field of GraphQL that has the value as it is, or that is made from it. Those of assets are in the engine.
 *
 * The decoder (wire.ts) and the resolvers (graphql/plan/loaded-fields.ts) take them from here. So a further field is a line of a table and
 * one in schema.graphql.
 */

/** The types of fields (REST specification, section 2), and their values in this project. */
export interface FieldTypes {
  readonly text: string;
  /** A list of texts. Its nulls are omitted. */
  readonly texts: string[];
  readonly double: number;
  readonly int32: number;
  readonly int64: bigint;
}

export type FieldType = keyof FieldTypes;

/** Fields of a response, by their names in this project. */
export type Fields = Readonly<
  Record<string, readonly [wireName: string, type: FieldType, field: `${string}.${string}`]>
>;

/** DatasetMetadata (REST specification, section 2.1). */
export const metadataFields = {
  name: ['name', 'text', 'Dataset.name'],
  description: ['description', 'text', 'Dataset.description'],
  assetCount: ['asset_count', 'int32', 'Dataset.assetCount'],
  attributionText: ['attributionText', 'text', 'Dataset.attributionText'],
  attributionFile: ['attributionFile', 'text', 'Dataset.attributionFile'],
  sharedOption: ['sharedOption', 'text', 'Dataset.sharing'],
  processingId: ['processing_id', 'text', 'DatasetProcessing.id'],
  processingName: ['processing_name', 'text', 'DatasetProcessing.name'],
  sourceId: ['source_id', 'text', 'DatasetSource.id'],
  sourceName: ['source_name', 'text', 'DatasetSource.name'],
  startDate: ['start_date', 'int64', 'Dataset.startDate'],
  stopDate: ['stop_date', 'int64', 'Dataset.stopDate'],
} as const satisfies Fields;

/** AssetResult (REST specification, section 2.5) without its rows: the attributes of an asset, as the engine reads them. */
export const attributeFields = attributes satisfies Fields;

/** The name of each field of a GraphQL type that these fields have the value of, with the name of the value. */
type NamesOn<F extends Fields, Type extends string> = {
  readonly [Name in keyof F as F[Name][2] extends `${Type}.${infer Field}` ? Field : never]: Name;
};

/** The fields of a GraphQL type: for `parent` of attributes, for example, `{ assetId: 'parentId', … }`. */
export function namesOn<F extends Fields, Type extends string>(fields: F, type: Type): NamesOn<F, Type> {
  const names = Object.entries(fields).flatMap(([name, [, , field]]) => {
    const [typeName, fieldName] = field.split('.') as [string, string];
    return typeName === type ? [[fieldName, name]] : [];
  });
  return Object.fromEntries(names);
}
