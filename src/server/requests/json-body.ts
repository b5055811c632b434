import { isUtf8 } from 'node:buffer';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { scheduleTurn } from '../../core/event-loop.ts';
import { sendOverloaded, UnreadableRequest } from '../responses/json-errors.ts';
import { LONG_BYTES, LongBodies } from './long-bodies.ts';
import { REQUEST_CODINGS, requestDecoder } from './request-coding.ts';

/** Parsing this many bytes, or coercing them, takes about as long as completing a field. */
const BYTES_PER_FIELD = 256;

const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i;

/**
 * Accepts bodies of `application/json` in UTF-8 (RFC 8259, section 8.1), in one content coding or none, and rejects all others.
 *
 * @param maxOperations the maximum number of concurrent operations
 */
export function acceptOnlyJson(app: FastifyInstance, maxOperations: number): void {
  const parseJson = app.getDefaultJsonParser('error', 'error');
  const longBodies = new LongBodies(maxOperations);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<Buffer>('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    const { 'content-type': type = '', 'content-encoding': encoding } = request.headers;
    const [, declared = 'utf-8'] = charset.exec(type) ?? [];
    const decode = encoding === undefined ? null : requestDecoder(encoding);
    if (!/^utf-?8$/i.test(declared)) done(new UnreadableRequest(415));
    else if (decode === undefined) done(new UnreadableRequest(415, { 'accept-encoding': REQUEST_CODINGS }));
    else if (decode === null && body.length < LONG_BYTES) parse(request, body, done);
    // The hook reads it.
    else done(null, body);
  });
  app.addHook('preValidation', (request, reply, done) => {
    const { body } = request;
    if (!Buffer.isBuffer(body)) return done();
    void readInTurn(request, body, reply, (error, value) => {
      request.body = value;
      done(error ?? undefined);
    });
  });

  async function readInTurn(request: FastifyRequest, body: Buffer, reply: FastifyReply, done: Done): Promise<void> {
    const release = await longBodies.acquire(reply.raw);
    if (release === undefined) {
      const message = `The subgraph is at its limit of long request bodies (MAX_OPERATIONS is ${maxOperations}).`;
      sendOverloaded(reply, 'max_operations', message);
      return;
    }
    const decode = requestDecoder(request.headers['content-encoding']);
    const json = decode ? await decode(body, request.routeOptions.bodyLimit) : body;
    if (typeof json === 'string') done(new UnreadableRequest(json === 'large' ? 413 : 400));
    else if (json.length < LONG_BYTES) parse(request, json, done);
    else {
      longBodies.hold(json.length, reply.raw);
      const fields = json.length / BYTES_PER_FIELD;
      await scheduleTurn(request, fields);
      const { promise, resolve } = Promise.withResolvers<Parameters<Done>>();
      parse(request, json, (...result) => resolve(result));
      const parsed = await promise;
      await nextTurn();
      await scheduleTurn(request, fields);
      done(...parsed);
    }
    release();
  }

  function parse(request: FastifyRequest, json: Buffer, done: Done): void {
    if (!isUtf8(json)) done(new UnreadableRequest(400));
    else void parseJson(request, json.toString('utf8'), done);
  }
}

type Done = (error: Error | null, value?: unknown) => void;
