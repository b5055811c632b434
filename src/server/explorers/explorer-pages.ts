import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';

const style = `
:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: light-dark(#2b3549, #d5dceb); background: light-dark(#fff, #212a3b) }
a { color: light-dark(#b5047a, #ff8ab5) }
a:focus-visible { outline: 2px solid; outline-offset: 2px }
h1, h2 { line-height: 1.25 }
dl:not(.facts) dt { margin-top: 1.5rem; font-size: 1.25rem }
dd { margin: 0; overflow-wrap: anywhere }
.datasets { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); gap: 1rem; margin: 0; padding: 0; list-style: none }
.datasets > li { padding: 1rem; border: 1px solid light-dark(#b3bccb, #4c5a75); border-radius: 8px }
.datasets h2 { margin: 0; font-size: 1.25rem }
.datasets p { margin: .5rem 0 1rem }
.facts { display: grid; gap: .25rem; margin: 0; font-size: .875rem }
.facts div { display: flex; gap: .5rem }
.facts dt { flex: 0 0 4.5rem; font-weight: 600 }
`;

/** The headers of every page. */
const headers = {
  'content-type': 'text/html; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
};

const closed = ["default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"];
// The icon is an empty data URL, so that browsers do not request one.
const plainPolicy = [...closed, 'img-src data:', `style-src 'sha256-${hash('sha256', style, 'base64')}'`].join('; ');

/** GraphiQL's page may load resources only from this server. */
const graphiqlPolicy = [
  ...closed,
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data: blob:",
  // The style sheet of GraphiQL contains its fonts.
  "font-src 'self' data:",
  // The editor Monaco and the tooltip of the chart create style sheets at run time.
  "style-src 'self' 'unsafe-inline'",
].join('; ');

/** The policy of the page's workers, which do not have that of the page: scripts and data of this server only. */
export const workerPolicy = ["default-src 'none'", "script-src 'self'", "connect-src 'self'"].join('; ');

/** Sends a page without scripts. `main` is trusted HTML. */
export function sendPlainPage(reply: FastifyReply, title: string, main: string): FastifyReply {
  return reply
    .headers({ ...headers, 'content-security-policy': plainPolicy, 'cache-control': 'no-store' })
    .send(
      `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n` +
        `<title>${title}</title>\n<link rel="icon" href="data:,">\n<style>${style}</style>\n<main>\n<h1>${title}</h1>\n${main}\n</main>\n</html>\n`,
    );
}

/** Sets the headers of GraphiQL's page. Browsers revalidate it each time, because it names the scripts of one version. */
export function prepareGraphiqlPage(reply: FastifyReply): FastifyReply {
  return reply.headers({ ...headers, 'content-security-policy': graphiqlPolicy, 'cache-control': 'no-cache' });
}
