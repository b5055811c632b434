import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { turnFor } from '../core/turn-scheduler.ts';
import { REQUEST_CODINGS, requestDecoder } from './request-coding.ts';

/** Bodies of at least this length are parsed and processed in separate turns of the event loop. */
const LONG_BYTES = 65_536;

/** Coercing this many bytes of variables takes about as long as completing a field. */
const BYTES_PER_FIELD = 256;

/** A request with an unsupported body. json-errors.ts responds with the status and the headers. */
export class UnreadableRequest extends Error {
  readonly statusCode: 400 | 413 | 415;
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: 400 | 413 | 415, headers: Readonly<Record<string, string>> = {}) {
    super('unreadable request');
    this.statusCode = statusCode;
    this.headers = headers;
  }
}

const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/**
 * Accepts bodies of `application/json` in UTF-8 (RFC 8259, section 8.1), in one content coding or none, and rejects all others.
 */
export function acceptOnlyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
    const [, declared = 'utf-8'] = charset.exec(type) ?? [];
    const decode = requestDecoder(encoding);
    if (!/^utf-?8$/i.test(declared)) done(new UnreadableRequest(415));
    else if (decode === undefined) done(new UnreadableRequest(415, { 'accept-encoding': REQUEST_CODINGS }));
    else if (decode === null) parse(body);
    else void decode(body).then(parseDecoded);

    function parseDecoded(decoded: Awaited<ReturnType<NonNullable<typeof decode>>>): void {
      if (typeof decoded === 'string') done(new UnreadableRequest(decoded === 'large' ? 413 : 400));
      else parse(decoded);
    }

    function parse(json: Buffer): void {
      if (!isUtf8(json)) done(new UnreadableRequest(400));
      else parseJson(request, json.toString('utf8'), json.length < LONG_BYTES ? done : inAnotherTurn);

      async function inAnotherTurn(error: Error | null, value?: unknown): Promise<void> {
        await nextTurn();
        await turnFor(request, json.length / BYTES_PER_FIELD);
        done(error, value);
      }
    }
  });
}
