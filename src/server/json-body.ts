import { isUtf8 } from 'node:buffer';
import type { FastifyInstance } from 'fastify';

/** A request that cannot be read; fastify takes the status from it. */
class UnreadableRequest extends Error {
  readonly statusCode: number;

  constructor(statusCode: number) {
    super('unreadable request');
    this.statusCode = statusCode;
  }
}

const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/** Takes bodies of `application/json` in UTF-8 (RFC 8259, section 8.1), as they are; refuses all others. */
export function acceptOnlyJson(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const { 'content-type': type = '', 'content-encoding': encoding = 'identity' } = request.headers;
    const [, declared = 'utf-8'] = charset.exec(type) ?? [];
    if (!/^utf-?8$/i.test(declared) || encoding !== 'identity') done(new UnreadableRequest(415));
    else if (!isUtf8(body)) done(new UnreadableRequest(400));
    else parseJson(request, body.toString('utf8'), done);
  });
}
