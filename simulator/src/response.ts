/** A response before it is sent. Header names are lower case; the sender adds content-length. */
export interface SimulatedResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Body;
}

/** A body. An iterable is sent chunk by chunk, as fast as the client reads, and has no content-length. */
export type Body = Uint8Array | AsyncIterable<Uint8Array | string>;

/** The status of each label (§7). */
const statuses = {
  BAD_REQUEST: 400,
  VALIDATION_EXCEPTION: 400,
  EXCEPTION: 400,
  WRONG_CREDENTIALS: 401,
  UNAUTHORIZED: 403,
  ACCESS_DENIED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  DUPLICATE_ENTITY: 409,
  INTERNAL_SERVER_ERROR: 500,
} as const;

/** A label of §7. */
export type Label = keyof typeof statuses;

/** An error of §7, thrown to end a request with it. */
export class ServiceError extends Error {
  readonly label: Label;

  constructor(label: Label, message: string) {
    super(message);
    this.name = 'ServiceError';
    this.label = label;
  }
}

/** A 200 OK with the value as JSON. */
export function jsonResponse(value: unknown): SimulatedResponse {
  return jsonBytesResponse(Buffer.from(JSON.stringify(value)));
}

/** A 200 OK with serialised JSON. */
export function jsonBytesResponse(body: Body): SimulatedResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

/** The error response with a label of §7. */
export function labelResponse(label: Label, message: string): SimulatedResponse {
  return errorResponse(statuses[label], label, message);
}

/** The error response with a status: with its first label of §7, or none if §7 does not list the status. */
export function statusResponse(status: number): SimulatedResponse {
  const label = Object.entries(statuses).find(([, listed]) => listed === status)?.[0];
  return errorResponse(status, label, 'A simulated fault.');
}

/**
 * §7 shows neither the shape of the error body nor the position of the label. The simulator invents this shape, so nobody
 * may rely on it.
 */
function errorResponse(status: number, label: string | undefined, message: string): SimulatedResponse {
  return { ...jsonResponse({ status, error: label, message }), status };
}
