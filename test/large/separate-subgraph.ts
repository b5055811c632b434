import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { request } from 'undici';
import { afterAll, beforeAll } from 'vitest';
import { startGuardedEntry } from '../support/process.ts';

/** A subgraph in a process of its own, with a service in this one. They end with the tests of the file. */
export class SeparateSubgraph {
  /** Answers a call. @param body that of the call */
  answer: (method: string, body: string) => Buffer = () => Buffer.from('{}');
  /** Whether an answer is sent as it is, with its status line: it ends with its connection. */
  isRaw = false;
  /** Whether the service says how long an answer is. */
  hasLength = true;
  /** What the service sends with each answer, too. */
  headers: Readonly<Record<string, string>> = {};
  origin = '';
  pid = 0;
  readonly #program: { stop(): Promise<void> }[] = [];

  constructor(settings: Readonly<Record<string, string>> = {}) {
    const service = createServer(async (incoming, outgoing) => {
      let body = '';
      for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
      const answer = this.answer(incoming.method ?? '', body);
      if (this.isRaw) {
        outgoing.socket?.end(answer);
        return;
      }
      const length = this.hasLength && { 'content-length': answer.length };
      const headers = { 'content-type': 'application/json', ...length, ...this.headers };
      outgoing.writeHead(200, headers).write(answer);
      outgoing.end();
    });
    beforeAll(async () => {
      await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
      const { port } = service.address() as AddressInfo;
      const env = { DATASET_SERVICE_URL: `http://127.0.0.1:${port}`, PORT: '0', LOG_LEVEL: 'silent', ...settings };
      const program = startGuardedEntry('main', env);
      this.#program.push(program);
      const [, url = ''] = await program.printed(/^GraphQL endpoint: (\S+)[^\n]*\n/m);
      this.origin = new URL(url).origin;
      this.pid = await program.pid;
    });
    afterAll(async () => {
      for (const program of this.#program) await program.stop();
      service.closeAllConnections();
      service.close();
    });
  }

  /** Sends an operation. Returns the body of its response. */
  async query(query: string, variables: object = {}) {
    const { body } = await request(`${this.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer x' },
      body: JSON.stringify({ query, variables }),
    });
    return body;
  }
}
