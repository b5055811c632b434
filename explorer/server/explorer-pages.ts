import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { tokens } from '../src/tokens.ts';

const style = `${tokens}
:root { color-scheme: light dark }
body { max-width: 60rem; margin: var(--space-huge) auto; padding: 0 var(--space-large); color: var(--ink); background: var(--paper); font: var(--text)/1.4 var(--font) }
a { color: var(--strong) }
h2 a, dt a { text-decoration: none }
a:hover { text-decoration: underline }
a:focus-visible { outline: 2px solid; outline-offset: 2px }
h1, h2, p { margin: 0 0 var(--space) }
h1 { font-size: var(--text-title) }
h2, dl:not(.facts) dt { font-size: var(--text-large) }
dl { margin: 0 }
dl:not(.facts) dt { margin-top: var(--space-large) }
dd { margin: 0; overflow-wrap: anywhere }
.datasets { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(26rem, 100%), 1fr)); gap: var(--space-large); margin: var(--space-large) 0 var(--space-huge); padding: 0; list-style: none }
.datasets > li { padding: var(--space-large); border: 1px solid var(--rule); border-radius: var(--radius-large) }
/* The last of an odd number has the row for itself. */
.datasets > li:last-child:nth-child(odd) { grid-column: 1 / -1 }
.datasets p { margin-bottom: var(--space-large) }
.facts { display: grid; gap: var(--space-small); font-size: var(--text-small) }
.facts div { display: flex; gap: var(--space) }
.facts dt { flex: 0 0 4.5rem; color: var(--soft-ink) }
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
