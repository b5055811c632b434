import { isUtf8 } from 'node:buffer';
import { type Fields, metadataFields } from './response-fields.ts';
import { RestError, type RestOperation } from './rest-error.ts';

/** The names of the int64 fields of metadata on the wire. */
const int64Fields: ReadonlySet<string> = new Set(
  Object.values(metadataFields as Fields).flatMap(([wireName, type]) => (type === 'int64' ? [wireName] : [])),
);

/** A parser may ignore it (RFC 8259, section 8.1). */
const BYTE_ORDER_MARK = Buffer.from('\ufeff');

const integer = /^-?\d{1,19}$/;

/** The third argument of a JSON.parse reviver: the text of a primitive value, as received. */
interface ReviverContext {
  readonly source?: string;
}

/**
 * An int64 field whose number JSON.parse might change: any number but an integer of at most 15 digits. Such fields are rare,
 * and a reviver that reads the source of each number makes JSON.parse much slower. The search is safe in a text without
 * escapes, because only escapes can disguise a name.
 */
const inexactInt64 = new RegExp(
  `"(?:${[...int64Fields].join('|')})"[ \\t\\n\\r]*:[ \\t\\n\\r]*(?!-?\\d{1,15}[ \\t\\n\\r]*[,}])[-\\d]`,
);

/**
 * Parses the body of a 200. The int64 fields are exact over the whole range, as `bigint` or as a safe `number`. A number in
 * such a field that is not a plain int64 literal (a fraction, an exponent, a larger number) is NaN. The content type is
 * ignored, because none is specified. A byte-order mark is skipped.
 *
 * @throws RestError `invalidResponse` when the body is not JSON in UTF-8 (RFC 8259, sections 2 and 8.1)
 */
export function parseJson(operation: RestOperation, body: Buffer): unknown {
  if (!isUtf8(body)) throw new RestError(operation, 'invalidResponse', { status: 200 });
  const text = body.toString('utf8', BYTE_ORDER_MARK.equals(body.subarray(0, 3)) ? 3 : 0);
  return parseJsonText(operation, text, text.length >= MIN_DEEP_LENGTH);
}

/** Does the same for a text. @param mayBeDeep whether it may have a thousand levels */
export function parseJsonText(operation: RestOperation, text: string, mayBeDeep: boolean): unknown {
  try {
    return text.includes('\\') || inexactInt64.test(text) ? parseExactly(text, mayBeDeep) : JSON.parse(text);
  } catch (cause) {
    throw new RestError(operation, 'invalidResponse', { status: 200, cause });
  }
}

/** With a reviver, JSON.parse goes as deep into its stack as the text is nested, and fails at some thousand levels. */
function parseExactly(text: string, mayBeDeep: boolean): unknown {
  const shallow = mayBeDeep ? truncateDepth(text) : text;
  // Without a reviver it allows any depth. It checks what was cut off.
  if (shallow.length < text.length) JSON.parse(text);
  return JSON.parse(shallow, exactInt64);
}

/** A shorter text has no thousand levels. */
const MIN_DEEP_LENGTH = 2048;

/** The maximum nesting depth: far more than any known field has. */
const MAX_DEPTH = 32;

/** Removes everything that is nested deeper. */
function truncateDepth(json: string): string {
  const parts: string[] = [];
  let depth = 0;
  let from = 0;
  for (let at = 0; at < json.length; at += 1) {
    const char = json[at];
    if (char === '"') at = endOfString(json, at);
    else if (char === '[' || char === '{') {
      depth += 1;
      if (depth === MAX_DEPTH) parts.push(json.slice(from, at + 1));
    } else if (char === ']' || char === '}') {
      if (depth === MAX_DEPTH) from = at;
      depth -= 1;
    }
  }
  return parts.join('') + json.slice(from);
}

/** The index of the closing quotation mark of a string; where it is missing, the length of the text or more. */
function endOfString(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

function exactInt64(key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || !int64Fields.has(key)) return value;
  const source = context?.source ?? '';
  if (!integer.test(source)) return Number.NaN;
  const exact = BigInt(source);
  return BigInt.asIntN(64, exact) === exact ? exact : Number.NaN;
}
