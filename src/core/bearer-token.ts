import { hash, randomBytes } from 'node:crypto';

/** The longest token. Those of identity providers that list groups and roles have more than 8,000 characters. */
export const MAX_TOKEN_LENGTH = 12_000;
/** A token that a header can carry: visible ASCII characters. */
const token = `[\\x21-\\x7e]{1,${MAX_TOKEN_LENGTH}}`;
const tokenPattern = new RegExp(`^${token}$`);
const headerPattern = new RegExp(`^Bearer ${token}$`, 'i');
const spacedPattern = new RegExp(`^(Bearer) +(${token})$`, 'i');
const longPattern = /^Bearer +[\x21-\x7e]+$/i;

/** The client's `Authorization` header, valid (RFC 6750, section 2.1). */
export type BearerAuthorization = string & { readonly brand: unique symbol };

/** The token of a client: undefined if there is no valid one. */
export type ClientAuthorization = BearerAuthorization | 'too long' | undefined;

/** Whether there is a token that can be used. */
export function isUsable(authorization: ClientAuthorization): authorization is BearerAuthorization {
  return authorization !== undefined && authorization !== 'too long';
}

/** The header if it is `Bearer` in any case, spaces and a token, with one space (RFC 9110, section 11.4); otherwise undefined. */
export function bearerAuthorization(header: string): BearerAuthorization | undefined {
  if (headerPattern.test(header)) return header as BearerAuthorization;
  const [, scheme, value] = spacedPattern.exec(header) ?? [];
  return value === undefined ? undefined : (`${scheme} ${value}` as BearerAuthorization);
}

/**
 * The client's bearer token. Undefined unless there is exactly one `Authorization` header, and it is valid.
 *
 * @param rawHeaders alternating names and values, as in `IncomingMessage.rawHeaders`
 */
export function clientAuthorization(rawHeaders: readonly string[]): ClientAuthorization {
  let value: string | undefined;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() !== 'authorization') continue;
    if (value !== undefined) return undefined;
    value = rawHeaders[index + 1];
  }
  if (value === undefined) return undefined;
  return bearerAuthorization(value) ?? (longPattern.test(value) ? 'too long' : undefined);
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
