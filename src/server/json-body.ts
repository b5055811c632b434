import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { turnFor } from '../core/turn-scheduler.ts';

/** Bodies of at least this length are parsed and processed in separate turns of the event loop. */
const LONG_BYTES = 65_536;

/** Coercing this many bytes of variables takes about as long as completing a field. */
const BYTES_PER_FIELD = 256;

/** A request with an unsupported body. fastify uses the status. */
class UnreadableRequest extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super('unreadable request');
    this.statusCode = statusCode;
  }
}

const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Accepts uncompressed bodies of `application/json` in UTF-8 (RFC 8259, section 8.1), and rejects all others. */
export function acceptOnlyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
    const [, declared = 'utf-8'] = charset.exec(type) ?? [];
    if (!/^utf-?8$/i.test(declared) || encoding !== 'identity') done(new UnreadableRequest(415));
    else if (!isUtf8(body)) done(new UnreadableRequest(400));
    else parseJson(request, body.toString('utf8'), body.length < LONG_BYTES ? done : inAnotherTurn);

    async function inAnotherTurn(error: Error | null, json?: unknown): Promise<void> {
      await nextTurn();
      await turnFor(request, body.length / BYTES_PER_FIELD);
      done(error, json);
    }
  });
}
