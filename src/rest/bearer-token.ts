/** A token that can be sent in a header, whatever it means: 1 to 8000 visible ASCII characters. */
const token = '[\\x21-\\x7e]{1,8000}';
const tokenAlone = new RegExp(`^${token}$`);
const usable = new RegExp(`^Bearer ${token}$`, 'i');

/** A caller's `Authorization` header value that can be forwarded, byte for byte as received (RFC 6750, section 2.1). */
export type BearerAuthorization = string & { readonly brand: unique symbol };

/**
 * The caller's bearer token, if there is a usable one: exactly one `Authorization` header, `Bearer` in any case, one
 * space, 1 to 8000 visible ASCII characters.
 *
 * @param headers the values of all `Authorization` headers of a request
 */
export function bearerAuthorization(headers: readonly string[] | undefined): BearerAuthorization | undefined {
  const [header, ...others] = headers ?? [];
  return header !== undefined && others.length === 0 && usable.test(header)
    ? (header as BearerAuthorization)
    : undefined;
}

/** Whether a text is a usable token, without a scheme. */
export function isToken(text: string): boolean {
  return tokenAlone.test(text);
}

/** The token alone, without its scheme. */
export function tokenOf(authorization: BearerAuthorization): string {
  return authorization.slice('Bearer '.length);
}
