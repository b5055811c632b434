import { hash, randomBytes } from 'node:crypto';

/** A token that can be sent in a header, whatever it means: 1 to 8000 visible ASCII characters. */
const token = '[\\x21-\\x7e]{1,8000}';
const tokenAlone = new RegExp(`^${token}$`);
const usable = new RegExp(`^Bearer ${token}$`, 'i');

/** A caller's `Authorization` header value that can be forwarded, byte for byte as received (RFC 6750, section 2.1). */
export type BearerAuthorization = string & { readonly brand: unique symbol };

/**
 * An `Authorization` header with a usable token: `Bearer` in any case, one space, 1 to 8000 visible ASCII characters.
 * Undefined for any other text.
 */
export function bearerAuthorization(header: string): BearerAuthorization | undefined {
  return usable.test(header) ? (header as BearerAuthorization) : undefined;
}

/**
 * The caller's bearer token, if there is a usable one, in exactly one `Authorization` header.
 *
 * @param rawHeaders names and values of all headers in turn, as Node.js has received them
 */
export function clientAuthorization(rawHeaders: readonly string[]): BearerAuthorization | undefined {
  let only: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'authorization') continue;
    if (only !== undefined) return undefined;
    only = rawHeaders[index + 1];
  }
  return only === undefined ? undefined : bearerAuthorization(only);
}

/** Whether a text is a usable token, without a scheme. */
export function isToken(text: string): boolean {
  return tokenAlone.test(text);
}

/** The token alone, without its scheme. */
export function tokenOf(authorization: BearerAuthorization): string {
  return authorization.slice('Bearer '.length);
}

/** Of this process alone, so that what is made with it can be compared with nothing else. */
const salt = randomBytes(32).toString('base64');

/** The same text for the same token, from which the token cannot be read. */
export function identityOf(authorization: BearerAuthorization): string {
  return hash('sha256', salt + tokenOf(authorization), 'base64');
}
