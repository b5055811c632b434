import { errorCode } from '../core/error-codes.ts';
import type { RestError } from '../rest/contract/rest-error.ts';

/** Why a connection to the REST service failed. */
export const connectionErrorCauses = ['dns', 'tls', 'refused', 'reset', 'timeout', 'other'] as const;

/** One of these causes. */
export type ConnectionErrorCause = (typeof connectionErrorCauses)[number];

const causes: Readonly<Record<string, ConnectionErrorCause>> = {
  ENOTFOUND: 'dns',
  EAI_AGAIN: 'dns',
  EAI_FAIL: 'dns',
  ECONNREFUSED: 'refused',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'timeout',
};

/** Certificate errors of OpenSSL, and of Node.js where the name does not match. */
const tls =
  /^(CERT_|ERR_TLS_|ERR_SSL_|ERR_OSSL_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|HOSTNAME_MISMATCH|CRL_|INVALID_CA|EPROTO$)/;

/** The cause, if a call failed because of its connection. */
export function connectionErrorCause({ failure, cause }: RestError): ConnectionErrorCause | undefined {
  const code = systemErrorCode(cause);
  if (failure === 'timeout') return code !== undefined && causes[code] === 'timeout' ? 'timeout' : undefined;
  if (failure !== 'unavailable') return undefined;
  if (code === undefined) return 'other';
  return causes[code] ?? (tls.test(code) ? 'tls' : 'other');
}

/** The code of the error of a connection. Several addresses were tried if it has several errors. */
function systemErrorCode(cause: unknown): string | undefined {
  return errorCode(cause) ?? (cause instanceof AggregateError ? systemErrorCode(cause.errors[0]) : undefined);
}
