import { hash, randomBytes } from 'node:crypto';

/** A token that a header can carry: 1 to 8000 visible ASCII characters. */
const token = '[\\x21-\\x7e]{1,8000}';
const tokenPattern = new RegExp(`^${token}$`);
const headerPattern = new RegExp(`^Bearer ${token}$`, 'i');

/** The client's `Authorization` header, valid and byte for byte as received (RFC 6750, section 2.1). */
export type BearerAuthorization = string & { readonly brand: unique symbol };

/** The header if it is `Bearer` in any case, one space and a token; otherwise undefined. */
export function bearerAuthorization(header: string): BearerAuthorization | undefined {
  return headerPattern.test(header) ? (header as BearerAuthorization) : undefined;
}

/**
 * The client's bearer token. Undefined unless there is exactly one `Authorization` header, and it is valid.
 *
 * @param rawHeaders alternating names and values, as in `IncomingMessage.rawHeaders`
 */
export function clientAuthorization(rawHeaders: readonly string[]): BearerAuthorization | undefined {
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'authorization') continue;
    if (value !== undefined) return undefined;
    value = rawHeaders[index + 1];
  }
  return value === undefined ? undefined : bearerAuthorization(value);
}

/** Whether a text is a valid token, without a scheme. */
export function isToken(text: string): boolean {
  return tokenPattern.test(text);
}

/** The token without its scheme. */
export function tokenOf(authorization: BearerAuthorization): string {
  return authorization.slice('Bearer '.length);
}

/** Random for each process, so identities of different processes cannot be compared. */
const salt = randomBytes(32).toString('base64');

/** A salted hash of the token: equal for equal tokens, and it does not reveal them. */
export function identityOf(authorization: BearerAuthorization): string {
  return hash('sha256', salt + tokenOf(authorization), 'base64');
}

/**
 * When a token says that it expires, in milliseconds of the Unix epoch (RFC 7519, section 4.1.4). Infinity if it is no JSON
 * Web Token, or has no such claim. Nothing is verified: the REST service alone knows what a token is worth.
 */
export function tokenExpiry(authorization: BearerAuthorization): number {
  const [, payload, signature, ...rest] = tokenOf(authorization).split('.');
  if (payload === undefined || signature === undefined || rest.length > 0) return Number.POSITIVE_INFINITY;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
