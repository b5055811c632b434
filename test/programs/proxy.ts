import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { onTestFinished } from 'vitest';

/** A proxy on this host, and what it was asked for. */
export interface Proxy {
  /** Without credentials. */
  readonly host: string;
  /** `METHOD target` of each request, with the credentials that came with it. */
  readonly asked: { readonly line: string; readonly credentials: string | undefined }[];
}

/**
 * Starts a proxy (RFC 9110, sections 3.7 and 9.3.6): it tunnels by CONNECT, and forwards what is http.
 *
 * @param ports the port on this host of each host and port
 * @param credentials what `Proxy-Authorization` must be; undefined: anything
 */
export async function startProxy(ports: Readonly<Record<string, number>>, credentials?: string): Promise<Proxy> {
  const asked: Proxy['asked'] = [];
  const isAllowed = ({ 'proxy-authorization': given }: IncomingHttpHeaders, line: string) => {
    asked.push({ line, credentials: given });
    return credentials === undefined || given === credentials;
  };
  const server = createServer((incoming, response) => {
    const { method, url = '', headers, rawHeaders } = incoming;
    if (!isAllowed(headers, `${method} ${url}`)) return void response.writeHead(407).end();
    const { host, pathname, search } = new URL(url);
    const own = rawHeaders.filter((_, at, all) => !/^proxy-/i.test(all[at - (at % 2)] ?? ''));
    const options = { port: ports[host], host: '127.0.0.1', method, path: pathname + search, headers: own };
    const forwarded = request(options as object, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    incoming.pipe(forwarded);
  });
  const sockets = new Set<{ destroy(): void }>();
  server.on('connect', ({ url = '', headers }, socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    if (!isAllowed(headers, `CONNECT ${url}`))
      return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\n\r\n');
    const port = ports[url];
    if (port === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    const tunnel = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      socket.pipe(tunnel).pipe(socket);
    });
    sockets.add(tunnel);
    tunnel.on('error', () => socket.destroy());
    socket.on('close', () => tunnel.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
    for (const socket of sockets) socket.destroy();
  });
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}
