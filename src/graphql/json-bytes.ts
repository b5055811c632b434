/** The most bytes of a character in JSON: a control character, as in `\u0001`. */
const MAX_CHARACTER_BYTES = 6;
/** Of a short text the upper limit is enough. */
const SHORT_LENGTH = 64;

/** The bytes of all texts of an object as JSON; of short texts at most. */
export function jsonBytesIn(object: object): number {
  let bytes = 0;
  for (const value of Object.values(object)) if (typeof value === 'string') bytes += jsonBytes(value);
  return bytes;
}

function jsonBytes(text: string): number {
  return text.length <= SHORT_LENGTH ? text.length * MAX_CHARACTER_BYTES + 2 : Buffer.byteLength(JSON.stringify(text));
}
