import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 40rem; margin: 4rem auto; padding: 0 1rem }
dt { margin-top: 1.5rem; font-size: 1.25rem }
dd { margin: 0 }
`;

/** The headers of every page of ours: none is framed, sends its address on, or is taken for something else. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const closed = ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"];
// The icon is an empty one, so that browsers do not ask for another.
const plainPolicy = [...closed, 'img-src data:', `style-src 'sha256-${hash('sha256', style, 'base64')}'`].join('; ');

/** What GraphiQL's page may load and do: nothing but with this server. */
const graphiqlPolicy = [
  ...closed,
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  // The fonts of GraphiQL stand in its style sheet.
  "font-src 'self' data:",
  // Monaco, the editor, makes its style sheets while it runs, and so does the chart's tooltip.
  "style-src 'self' 'unsafe-inline'",
].join('; ');

/** Sends a page without scripts. `main` is trusted HTML. */
export function sendPlainPage(reply: FastifyReply, title: string, main: string): FastifyReply {
  return reply
    .headers({ ...headers, 'content-security-policy': plainPolicy, 'cache-control': 'no-store' })
    .send(
      `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n` +
        `<title>${title}</title>\n<link rel="icon" href="data:,">\n<style>${style}</style>\n<main>\n<h1>${title}</h1>\n${main}\n</main>\n</html>\n`,
    );
}

/** Sends the head of GraphiQL's page. It names the scripts of one version: a browser asks each time which they are. */
export function prepareGraphiqlPage(reply: FastifyReply): FastifyReply {
  return reply.headers({ ...headers, 'content-security-policy': graphiqlPolicy, 'cache-control': 'no-cache' });
}
