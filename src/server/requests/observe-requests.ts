import type { FastifyInstance, FastifyReply } from 'fastify';
import { RequestObservation, type Telemetry } from '../../telemetry/telemetry.ts';
import { onResponseClosed } from '../connections/connection.ts';

declare module 'fastify' {
  interface FastifyInstance {
    telemetry: Telemetry;
  }
  interface FastifyRequest {
    /** Observes the request from its headers to the end of its response. Undefined if nobody wants to know. */
    observation: RequestObservation | undefined;
    /** The errors of the request that are bugs of this program. Undefined if there are none. */
    internalErrors: { count: number } | undefined;
  }
}

/** Routes that have a name of their own in metrics and traces. The others are the pages of the explorers. */
const named = /^\/(graphql|download\/|health\/)/;

/** Observes every request of an app, if anybody wants to know. Call it before any other hook is added. */
export function observeRequests(app: FastifyInstance, telemetry: Telemetry): void {
  app.decorate('telemetry', telemetry);
  // Fastify reserves the properties, so that all requests have the same shape.
  app.decorateRequest('observation');
  app.decorateRequest('internalErrors');
  const { log, metrics, traces } = telemetry;
  if (!log.hasRequests && metrics === undefined && traces === undefined) return;
  app.addHook('onRequest', (request, reply, done) => {
    const { id, method, headers, routeOptions } = request;
    const { url = 'none' } = routeOptions;
    const route = url === 'none' || named.test(url) ? url : 'explorer';
    const observation = new RequestObservation(id, { method, route, headers }, telemetry);
    request.observation = observation;
    const { raw } = reply;
    onResponseClosed(raw, () => {
      if (!raw.writableFinished) {
        observation.ended(undefined, undefined);
        return;
      }
      const length = reply.getHeader('content-length');
      observation.ended(raw.statusCode, length === undefined ? undefined : Number(length));
    });
    done();
  });
}

/**
 * Reports an error that is a bug of this program. One bug can show at a thousand fields: the log has one line for all errors of a
 * request, when its response is over.
 */
export function reportInternalError({ request, raw, server }: FastifyReply, error: unknown): void {
  const { id, observation } = request;
  observation?.internalError();
  if (request.internalErrors !== undefined) {
    request.internalErrors.count += 1;
    return;
  }
  const errors = { count: 1 };
  request.internalErrors = errors;
  onResponseClosed(raw, () => {
    request.internalErrors = undefined;
    server.telemetry.log.internalError(error, id, observation?.trace?.context, errors.count);
  });
}
