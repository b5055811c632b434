import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http';
import type { RestCall } from './rest-call.ts';

const upstream = process.env.DATASET_SERVICE_URL;
/** As many connections as the subgraph and the compiled contestants open. */
const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Forwards a request to the REST service. Resolves when the headers of the response arrive. */
export function forward(incoming: IncomingMessage): Promise<IncomingMessage> {
  const { method = 'GET', url = '' } = incoming;
  const headers = copyHeaders(incoming, ['authorization', 'content-type', 'content-length']);
  return send(method, url, headers, (outgoing) => incoming.pipe(outgoing));
}

/** Makes one of the calls that a request lists. Resolves when the headers of the response arrive. */
export function makeCall(incoming: IncomingMessage, { method, path, body }: RestCall): Promise<IncomingMessage> {
  const headers = copyHeaders(incoming, ['authorization', 'content-type']);
  return send(method, path, headers, (outgoing) => outgoing.end(body));
}

function send(
  method: string,
  path: string,
  headers: Record<string, string>,
  sendBody: (outgoing: ClientRequest) => void,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(`${upstream}${path}`, { method, agent, headers }, resolve);
    outgoing.on('error', reject);
    sendBody(outgoing);
  });
}

function copyHeaders(
  { headers }: IncomingMessage,
  names: readonly ('authorization' | 'content-type' | 'content-length')[],
): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
