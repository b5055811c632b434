/** The outcome of the requests so far, as their clients see it. */
export class Tally {
  /** The responses of GraphQL that clients read to their end, by their status. */
  readonly statuses: Record<number, number> = {};
  /** The errors in them, by their code. */
  readonly errors: Record<string, number> = {};
  requests = 0;
  /** Requests whose client disconnected before the response. */
  disconnected = 0;
  /** Files whose end the service did not send. */
  truncated = 0;
  /** Requests without a complete response. There must be none. */
  failed = 0;

  /** A client has read a response to its end. */
  answered(path: string, status: number, body: Buffer): void {
    if (path.startsWith('/download/')) return;
    this.statuses[status] = (this.statuses[status] ?? 0) + 1;
    const text = body.toString();
    JSON.parse(text);
    for (const [, code = ''] of text.matchAll(/"code":"([A-Z_]+)"/g)) this.errors[code] = (this.errors[code] ?? 0) + 1;
  }
}
