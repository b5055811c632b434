import type { FastifyInstance } from 'fastify';
import type { RequestObservation, Telemetry } from '../../telemetry/telemetry.ts';
import { onResponseClosed } from '../connections/connection.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Observes the request from its headers to the end of its response. */
    observation: RequestObservation;
  }
}

/** Routes that have a name of their own in metrics and traces. The others are the pages of the explorers. */
const named = /^\/(graphql|download\/|health\/)/;

/** Observes every request of an app. Call it before any other hook is added. */
export function observeRequests(app: FastifyInstance, telemetry: Telemetry): void {
  // Fastify reserves the property, so that all requests have the same shape.
  app.decorateRequest('observation');
  app.addHook('onRequest', (request, reply, done) => {
    const { id: requestId, method, headers, routeOptions } = request;
    const { url = 'none' } = routeOptions;
    const route = url === 'none' || named.test(url) ? url : 'explorer';
    const observation = telemetry.observe({ requestId, method, route, headers });
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
