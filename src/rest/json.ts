import { isUtf8 } from 'node:buffer';
import { RestError, type RestOperation } from './errors.ts';

/** The wire fields that hold an int64 (REST specification, sections 2.1 and 2.5). */
const int64Fields: ReadonlySet<string> = new Set(['start_date', 'stop_date', 'asset_version', 'parent_asset_version']);

const integer = /^-?\d{1,19}$/;

/** The third argument of a JSON.parse reviver: the text of a primitive value, as received. */
interface ReviverContext {
  readonly source?: string;
}

/**
 * An int64 field whose number JSON.parse might change: one that is not just at most 15 digits. To see the source of each
 * number costs JSON.parse most of its speed, and mostly there is no such field. Names and numbers can only be
 * disguised by escapes, so a text without any is safe to search.
 */
const inexactInt64 =
  /"(?:start_date|stop_date|asset_version|parent_asset_version)"[ \t\n\r]*:[ \t\n\r]*(?!-?\d{1,15}[ \t\n\r]*[,}])[-\d]/;

/**
 * Parses the body of a successful answer. The int64 fields come out exact over the whole range, as `bigint` or as a safe
 * `number`; a number in such a field that is no plain int64 literal (a fraction, an exponent, a larger number) is NaN.
 * The content type is not looked at, because none is specified; a byte-order mark is skipped.
 *
 * @throws RestError `invalidResponse` when the body is not JSON in UTF-8 (RFC 8259, sections 2 and 8.1)
 */
export function parseJson(operation: RestOperation, body: Buffer): unknown {
  if (!isUtf8(body)) throw new RestError(operation, 'invalidResponse', { status: 200 });
  const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf;
  return parseJsonText(operation, body.toString('utf8', hasByteOrderMark ? 3 : 0));
}

/** The same for a text. */
export function parseJsonText(operation: RestOperation, text: string): unknown {
  try {
    return text.includes('\\') || inexactInt64.test(text) ? JSON.parse(text, exactInt64) : JSON.parse(text);
  } catch (cause) {
    throw new RestError(operation, 'invalidResponse', { status: 200, cause });
  }
}

function exactInt64(key: string, value: unknown, context?: ReviverContext): unknown {
  if (typeof value !== 'number' || !int64Fields.has(key)) return value;
  const source = context?.source ?? '';
  if (!integer.test(source)) return Number.NaN;
  const exact = BigInt(source);
  return BigInt.asIntN(64, exact) === exact ? exact : Number.NaN;
}
