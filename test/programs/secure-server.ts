import type { IncomingMessage, RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { onTestFinished } from 'vitest';
import { dataset } from '../support/harness.ts';
import type { Identity } from './certificates.ts';

export interface SecureServer {
  readonly url: string;
  readonly port: number;
  /** `METHOD target token` of each request, and the name in the certificate of its client, if there is one. */
  readonly requests: string[];
  /** Shows another certificate from now on. */
  show(identity: Identity): void;
}

/** Starts a server that speaks TLS. By default it answers with metadata. It ends with the test. */
export async function startSecure(
  identity: Identity & { ca?: string; requestCert?: boolean },
  respond: RequestListener = (_request, response) => response.end(JSON.stringify(dataset.metadata)),
): Promise<SecureServer> {
  const requests: string[] = [];
  const server = createServer(identity, (incoming: IncomingMessage, response) => {
    const { method, url, headers, socket } = incoming;
    const client = (socket as TLSSocket).getPeerCertificate()?.subject?.CN;
    requests.push([method, url, headers.authorization, client].filter((part) => part !== undefined).join(' '));
    respond(incoming, response as never);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const show = (shown: Identity) => {
    server.setSecureContext({ ...shown });
    server.closeAllConnections();
  };
  return { url: `https://localhost:${port}`, port, requests, show };
}
