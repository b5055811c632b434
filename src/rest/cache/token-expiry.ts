import { type BearerAuthorization, tokenOf } from '../../core/bearer-token.ts';

/**
 * When a token says that it expires, in milliseconds of the Unix epoch (RFC 7519, section 4.1.4). Infinity if it is no JSON
 * Web Token, or has no such claim. Nothing is verified: the REST service alone knows what a token is worth.
 */
export function tokenExpiry(authorization: BearerAuthorization): number {
  const [, payload, signature, ...more] = tokenOf(authorization).split('.');
  if (payload === undefined || signature === undefined || more.length > 0) return Number.POSITIVE_INFINITY;
  try {
    const { exp } = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { exp?: unknown };
    return typeof exp === 'number' ? exp * 1000 : Number.POSITIVE_INFINITY;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}
