import { Agent, type IncomingMessage, request } from 'node:http';

const upstream = process.env.DATASET_SERVICE_URL;
const agent = new Agent({ keepAlive: true });
const forwarded = ['authorization', 'content-type', 'content-length'] as const;

/** Forwards a request to the REST service. Resolves when the headers of the response arrive. */
export function forward(incoming: IncomingMessage): Promise<IncomingMessage> {
  const { method = 'GET', url } = incoming;
  const headers = Object.fromEntries(
    forwarded.flatMap((name) => (incoming.headers[name] === undefined ? [] : [[name, incoming.headers[name]]])),
  );
  return new Promise((resolve, reject) => {
    const outgoing = request(`${upstream}${url}`, { method, agent, headers }, resolve);
    outgoing.on('error', reject);
    incoming.pipe(outgoing);
  });
}
