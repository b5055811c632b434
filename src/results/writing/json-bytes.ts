/** Bytes of JSON. */
export const NULL: Buffer = Buffer.from('null');
export const EMPTY_OBJECT: Buffer = Buffer.from('{}');
export const CLOSE_OBJECT: Buffer = Buffer.from('}');
export const COMMA = 0x2c;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
export const QUOTE = 0x22;
