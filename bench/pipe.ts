/** A reference: copies the bytes of the REST response as they arrive. It is a lower bound for Node.js programs. */
import { pipeline } from 'node:stream/promises';
import { forward } from './forward.ts';
import { listen } from './listen.ts';

listen(async (incoming, outgoing) => {
  const response = await forward(incoming);
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  await pipeline(response, outgoing);
});
