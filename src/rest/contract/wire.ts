import * as z from 'zod';
import { parseJson, parseJsonText } from './json.ts';
import { knownMembers } from './known-members.ts';
import {
  type attributeFields,
  type Fields,
  type FieldType,
  type FieldTypes,
  metadataFields,
} from './response-fields.ts';
import { RestError, type RestOperation } from './rest-error.ts';

/**
 * A field of a response: its value, null or undefined if it is null or absent, or an error if it has the wrong type. Any field
 * may be absent, because section 2.8 does not specify which are always present.
 */
export type WireField<T> = T | null | undefined | RestError;

/** The values of fields of a response. */
type Values<F extends Fields> = { readonly [Name in keyof F]: WireField<FieldTypes[F[Name][1]]> };

/** DatasetMetadata (REST specification, section 2.1), under the names of this project. */
export type DatasetMetadata = Values<typeof metadataFields>;

/** AssetResult (REST specification, section 2.5) without its rows, under the names of this project. */
export interface AssetResult extends Omit<Values<typeof attributeFields>, 'assetId'> {
  readonly assetId: string;
}

/** The body of a results request (REST specification, section 2.2). Absent parts are omitted. */
export interface ResultsFilter {
  readonly assetIds?: readonly string[] | undefined;
  readonly timeRange?: TimeRange | undefined;
}

/** A DateRange (REST specification, section 2.3): bounds in epoch milliseconds. */
export interface TimeRange {
  readonly start?: bigint | undefined;
  readonly stop?: bigint | undefined;
}

/** The most bytes of metadata that are read at once, in at most some 4 ms. More are read in time slices. */
const SMALL_METADATA_BYTES = 8192;

/** The body as JSON. JSON.stringify cannot write int64 exactly. */
export function filterBody({ assetIds, timeRange }: ResultsFilter): string {
  const parts: string[] = [];
  if (assetIds !== undefined) parts.push(`"mo_ids":${JSON.stringify(assetIds)}`);
  if (timeRange !== undefined) {
    const bounds: string[] = [];
    if (timeRange.start !== undefined) bounds.push(`"start_date":${timeRange.start}`);
    if (timeRange.stop !== undefined) bounds.push(`"stop_date":${timeRange.stop}`);
    parts.push(`"time_range":{${bounds.join()}}`);
  }
  return `{${parts.join()}}`;
}

/**
 * Decodes the body of a metadata response (REST specification, section 4.1). Rejects with a RestError `invalidResponse` if it is
 * not a JSON object, or has only members that the specification does not name.
 */
export async function decodeMetadata(body: Buffer): Promise<DatasetMetadata> {
  const operation = 'getDatasetMetadata';
  if (body.length <= SMALL_METADATA_BYTES) {
    const value = parseJson(operation, body);
    const decoded = check(operation, metadata, value);
    const names = Object.keys(value as object);
    if (names.length > 0 && !names.some((name) => metadataMembers.includes(name))) throw unknownObject(operation);
    return toMetadata(decoded);
  }
  const known = await knownMembers(body, metadataMembers).catch((cause) => {
    throw new RestError(operation, 'invalidResponse', { status: 200, cause });
  });
  if (known === undefined) throw unknownObject(operation);
  return toMetadata(check(operation, metadata, parseJsonText(operation, known, false)));
}

function check<T>(operation: RestOperation, schema: z.ZodType<T>, value: unknown): T {
  const decoded = schema.safeParse(value);
  if (!decoded.success) throw new RestError(operation, 'invalidResponse', { status: 200 });
  return decoded.data;
}

/**
 * The error of a body that is an object with members of which the specification names none: perhaps it says what failed, in spite
 * of its status.
 */
export function unknownObject(operation: RestOperation): RestError {
  return new RestError(operation, 'invalidResponse', { status: 200, problem: 'it has no known field' });
}

/** The most bytes of a row, an attribute or an id of a results response. */
export const MAX_PART_BYTES: number = 1 << 20;

/** Replaces what is larger. */
export const tooLarge: RestError = new RestError('getDatasetResults', 'responseTooLarge', {
  status: 200,
  limit: { name: 'the maximum of bytes of a row or an attribute', value: MAX_PART_BYTES },
});

/** Replaces a value of the wrong type in a results response. */
export const wrongType = new RestError('getDatasetResults', 'invalidResponse', { status: 200 });

/**
 * The field schemas of one operation's responses. A value of the wrong type becomes the error. They use only `nullish` and
 * `catch`: a `transform` makes zod ten times slower.
 */
function fieldsOf(error: RestError) {
  const field = <T extends z.ZodType>(schema: T) =>
    schema.nullish().catch(error as never) as unknown as z.ZodType<WireField<z.output<T>>>;
  return {
    text: field(z.string()),
    texts: field(z.array(z.string().nullable())),
    double: field(z.number()),
    int32: field(z.int32()),
    int64: field(z.union([z.int(), z.bigint()])),
  };
}

type FieldSchemas = ReturnType<typeof fieldsOf>;

/** The schemas of fields by their names on the wire. */
function schemasOf(fields: Fields, schemas: FieldSchemas): Record<string, FieldSchemas[FieldType]> {
  return Object.fromEntries(Object.values(fields).map(([wireName, type]) => [wireName, schemas[type]]));
}

const ofMetadata = fieldsOf(new RestError('getDatasetMetadata', 'invalidResponse', { status: 200 }));

const metadata = z.object(schemasOf(metadataFields, ofMetadata));
/** The id is known already. */
const metadataMembers: readonly string[] = [...Object.keys(metadata.shape), 'id'];

const namedMetadata = Object.entries(metadataFields);

function toMetadata(wire: Readonly<Record<string, unknown>>): DatasetMetadata {
  const values: Record<string, unknown> = {};
  for (const [name, [wireName, type]] of namedMetadata) values[name] = toValue(type, wire[wireName]);
  return values as DatasetMetadata;
}

function toValue(type: FieldType, value: unknown): unknown {
  if (type === 'int64' && typeof value === 'number') return BigInt(value);
  return type === 'texts' && Array.isArray(value) ? value.filter((text) => text !== null) : value;
}
