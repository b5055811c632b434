/** A call of the REST service. */
export interface RestCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body: string | null;
}

/** The relay responds to a POST of a list of calls to this path with the list of what the REST service responds. */
export const ALL_CALLS = '/__all';
