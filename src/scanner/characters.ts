/** The bytes that need no escape in a JSON string: all but control characters, the quote and the backslash. */
export const unescaped: Uint8Array = new Uint8Array(256).fill(1, 0x20);
unescaped[0x22] = 0;
unescaped[0x5c] = 0;

export const escapes: Uint8Array = new Uint8Array(256);
for (const char of '"\\/bfnrt') escapes[char.charCodeAt(0)] = 1;

export const hexDigits: Uint8Array = new Uint8Array(256).fill(1, 0x30, 0x3a).fill(1, 0x41, 0x47).fill(1, 0x61, 0x67);

export const whiteSpace: Uint8Array = new Uint8Array(256);
for (const byte of [0x20, 0x09, 0x0a, 0x0d]) whiteSpace[byte] = 1;

/** The number of bytes of a byte order mark at the beginning of UTF-8 (RFC 8259, section 8.1, lets parsers ignore it); 0 without one. */
export function byteOrderMarkIn(bytes: Uint8Array): number {
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}

/** The bytes of decimal digits. */
export const digits: Uint8Array = new Uint8Array(256).fill(1, 0x30, 0x3a);
