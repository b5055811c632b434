import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { errorCodes } from '../../src/core/error-codes.ts';
import { LoginError } from '../../src/rest/login.ts';
import { errorBody, sendUnavailable } from '../../src/server/responses/json-errors.ts';

/** The maximum bytes of a request: an e-mail address, a password, and the JSON around them. */
const MAX_BYTES = 4096;

/** Gets a token for an e-mail address and a password. Rejects with a LoginError. */
export type Login = (email: string, password: string) => Promise<string>;

/** How many logins may run at the same time. */
const MAX_LOGINS = 16;

/**
 * Passes the login of the explorer's pages on: their Content-Security-Policy allows requests to this server only. The response
 * has the token, or an error as everywhere. The password is neither kept nor logged.
 *
 * @param path where the pages send the e-mail address and the password
 * @param login gets a token; rejects with a LoginError
 */
export function serveLogin(app: FastifyInstance, path: string, login: Login): void {
  let running = 0;
  const logIn = async ({ body }: FastifyRequest, reply: FastifyReply) => {
    const { email, password } = (body ?? {}) as Record<string, unknown>;
    if (typeof email !== 'string' || typeof password !== 'string') {
      return reply.status(400).send(errorBody('A login needs the texts "email" and "password".', 'BAD_REQUEST'));
    }
    if (running === MAX_LOGINS) {
      return sendUnavailable(reply, `The subgraph is at its limit of ${MAX_LOGINS} concurrent logins.`, 'OVERLOADED');
    }
    running += 1;
    try {
      return { token: await login(email, password) };
    } catch (error) {
      if (!(error instanceof LoginError)) throw error;
      return reply.status(errorCodes[error.code].status).send(errorBody(error.message, error.code));
    } finally {
      running -= 1;
    }
  };
  app.register(async (route) => {
    route.addHook('onRequest', acceptOwnPages);
    route.setErrorHandler((error: FastifyError, _request, reply) => {
      if (error.statusCode !== 413) throw error;
      return reply.status(413).send(errorBody('The request body is larger than 4 kB.', 'PAYLOAD_TOO_LARGE'));
    });
    route.post(path, { bodyLimit: MAX_BYTES }, logIn);
  });
}

/** Accepts requests of this server's own pages only, so that no other site can try passwords. */
function acceptOwnPages(request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void {
  reply.headers({ 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  if (isFromOwnPage(request)) done();
  else reply.status(403).send(errorBody('A login is accepted only from the pages of this server.', 'FORBIDDEN'));
}

/**
 * Whether a page of this server sent a request. No page can set these headers by itself. Over plain HTTP browsers send only
 * `Origin`, and a proxy may replace `Host`.
 */
function isFromOwnPage({ headers: { host, origin = '', 'sec-fetch-site': site } }: FastifyRequest): boolean {
  return site === undefined ? URL.parse(origin)?.host === host : site === 'same-origin';
}
