import { randomUUID } from 'node:crypto';
import { type FastifyInstance, fastify } from 'fastify';
import type { Config } from '../config.ts';
import type { Telemetry } from '../telemetry/telemetry.ts';
import type { RunningRequests } from './connections/connection.ts';
import { type HttpServer, MAX_HEADER_BYTES } from './http-server.ts';
import { acceptOnlyJson } from './requests/json-body.ts';
import { observeRequests } from './requests/observe-requests.ts';
import { MAX_REQUEST_BYTES } from './requests/request-coding.ts';
import { respondToBadPath, respondToClientError, useJsonErrors } from './responses/json-errors.ts';

export interface HttpAppOptions {
  readonly config: Config;
  readonly server: HttpServer;
  readonly telemetry: Telemetry;
  readonly running: RunningRequests;
}

/** A request id of a client that is used. Others are replaced. */
const usableRequestId = /^[\w.-]{1,128}$/;

/** The app, with what holds for every request, and the health checks. The routes of the subgraph are added to it. */
export function createHttpApp({ config, server, telemetry, running }: HttpAppOptions): FastifyInstance {
  const onInvalidHttp = () => telemetry.metrics?.requestRejected('invalid_http');
  const app = fastify({
    serverFactory: (handler) => server.serve(handler),
    // The log lines of fastify contain URLs, and so possibly queries.
    logger: false,
    bodyLimit: MAX_REQUEST_BYTES,
    clientErrorHandler: (error, socket) => respondToClientError(error, socket, onInvalidHttp),
    frameworkErrors: (error, request, reply) => {
      onInvalidHttp();
      respondToBadPath(error, request, reply);
    },
    requestIdHeader: false,
    genReqId: ({ headers: { 'x-request-id': given } }) =>
      typeof given === 'string' && usableRequestId.test(given) ? given : randomUUID(),
    // Requests on open connections are served during shutdown.
    return503OnClosing: false,
    // Whatever fits into the headers: each route checks its parameters.
    routerOptions: { maxParamLength: MAX_HEADER_BYTES },
  });
  observeRequests(app, telemetry);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    done();
  });
  server.shedLoad(app);
  useJsonErrors(app, onInvalidHttp);
  acceptOnlyJson(app, config.MAX_OPERATIONS);
  app.get('/health/live', () => ({ status: 'live' }));
  app.get('/health/ready', (_request, reply) =>
    running.stopping ? reply.status(503).send({ status: 'stopping' }) : { status: 'ready' },
  );
  return app;
}
