import { subscribe } from 'node:diagnostics_channel';
import type { Dispatcher } from 'undici';
import { Figures } from './figures.ts';

/** The routes that clients use, under their names in the metrics, by path. */
export const FILE_ROUTE = '/download/dataset/:id';
const routeOf = (path: string) => (path.startsWith('/download/') ? FILE_ROUTE : path);

/** The outcome of the requests so far, as their clients see it. */
export class Tally {
  /** What accounts.ts compares with the metrics. */
  readonly figures = new Figures();
  requests = 0;
  /** Requests whose client disconnected before the response. */
  disconnected = 0;
  /** Files whose end the service did not send. */
  truncated = 0;
  /** Requests without a complete response. There must be none. */
  failed = 0;

  /** @param origin of the subgraph */
  constructor(origin: string) {
    // A client that leaves does not know whether its request was sent.
    subscribe('undici:client:sendHeaders', (message) => {
      const { request } = message as { readonly request: Pick<Dispatcher.RequestOptions, 'origin' | 'path'> };
      if (String(request.origin) === origin) this.figures.add('sent', { route: routeOf(request.path) });
    });
  }

  /** A client has read a response to its end. */
  answered(path: string, status: number, body: Buffer): void {
    const route = routeOf(path);
    this.figures.add('answered', { route, status: String(status) });
    if (route === FILE_ROUTE) {
      if (status === 503 && body.includes('"OVERLOADED"')) this.figures.add('overloaded');
      return;
    }
    const text = body.toString();
    JSON.parse(text);
    const codes = [...text.matchAll(/"code":"([A-Z_]+)"/g)].map(([, code = '']) => code);
    if (codes[0] === 'OVERLOADED') this.figures.add('overloaded');
    else for (const code of codes) this.figures.add('error', { code });
  }
}
