import { Figures } from './figures.ts';

/** The outcome of the requests so far, as their clients see it. */
export class Tally {
  /** `answered` {status}: responses of GraphQL that clients read to their end, and `error` {code}. */
  readonly figures = new Figures();
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
    this.figures.add('answered', { status: String(status) });
    const text = body.toString();
    JSON.parse(text);
    for (const [, code = ''] of text.matchAll(/"code":"([A-Z_]+)"/g)) this.figures.add('error', { code });
  }
}
