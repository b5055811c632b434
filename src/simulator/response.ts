/** An answer before it is sent; header names are lower case, content-length is left to the sender. */
export interface Answer {
  status: number;
  headers: Record<string, string | string[]>;
  body: Uint8Array;
}

/** The status that carries each label (§7). */
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

/** Thrown to end a request with one of the errors of §7. */
export class Refusal extends Error {
  readonly label: Label;

  constructor(label: Label, message: string) {
    super(message);
    this.name = 'Refusal';
    this.label = label;
  }
}

/** A 200 OK with the value as JSON. */
export function jsonResponse(value: unknown): Answer {
  return jsonBytesResponse(Buffer.from(JSON.stringify(value)));
}

/** A 200 OK with JSON that is serialised already. */
export function jsonBytesResponse(body: Uint8Array): Answer {
  return { status: 200, headers: { 'content-type': 'application/json' }, body };
}

/** The answer with a label of §7. */
export function refusalResponse(label: Label, message: string): Answer {
  return errorResponse(statuses[label], label, message);
}

/** The answer with an error status: its first label of §7, or none where §7 does not list the status. */
export function statusResponse(status: number): Answer {
  const label = Object.entries(statuses).find(([, listed]) => listed === status)?.[0];
  return errorResponse(status, label, 'The service was told to fail.');
}

/**
 * §7 shows neither the shape of the error body nor where the labels appear in it. This shape is an invention of the
 * simulator: nobody may rely on it.
 */
function errorResponse(status: number, label: string | undefined, message: string): Answer {
  return { ...jsonResponse({ status, error: label, message }), status };
}
