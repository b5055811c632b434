/** A yardstick: copies the bytes of the REST service's answer as they come. Nothing on Node.js can do with less. */
import { pipeline } from 'node:stream/promises';
import { forward } from './forward.ts';
import { listen } from './listen.ts';

listen(async (incoming, outgoing) => {
  const response = await forward(incoming);
  outgoing.writeHead(response.statusCode ?? 502, response.headers);
  await pipeline(response, outgoing);
});
