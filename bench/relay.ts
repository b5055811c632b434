/**
 * A reference: parses the REST responses and serialises them again. It is a lower bound for programs that use objects. It
 * forwards a REST call, or makes all the calls that a request lists at the same time.
 */
import type { ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { forward, makeCall } from './forward.ts';
import { listen } from './listen.ts';
import { ALL_CALLS, type RestCall } from './rest-call.ts';

listen(async (incoming, outgoing) => {
  if (incoming.url === ALL_CALLS) {
    const calls = (await json(incoming)) as RestCall[];
    respond(outgoing, 200, await Promise.all(calls.map(async (call) => json(await makeCall(incoming, call)))));
  } else {
    const response = await forward(incoming);
    respond(outgoing, response.statusCode ?? 502, await json(response));
  }
});

function respond(outgoing: ServerResponse, status: number, value: unknown): void {
  const body = Buffer.from(JSON.stringify(value));
  outgoing.writeHead(status, { 'content-type': 'application/json', 'content-length': body.length });
  outgoing.end(body);
}
