/** A reference: parses the REST response and serialises it again. It is a lower bound for programs that use objects. */
import { json } from 'node:stream/consumers';
import { forward } from './forward.ts';
import { listen } from './listen.ts';

listen(async (incoming, outgoing) => {
  const response = await forward(incoming);
  const body = Buffer.from(JSON.stringify(await json(response)));
  outgoing.writeHead(response.statusCode ?? 502, { 'content-type': 'application/json', 'content-length': body.length });
  outgoing.end(body);
});
