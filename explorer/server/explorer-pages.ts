import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import { tokens } from '../src/tokens.ts';

const style = `${tokens}
:root { color-scheme: light dark }
body { max-width: 72rem; margin: 0 auto; padding: var(--space-huge) var(--space-large); color: var(--ink); background: var(--paper); font: var(--text)/1.45 var(--font) }
a { color: var(--strong) }
h2 a { color: inherit; text-decoration-color: var(--edge); text-decoration-thickness: 1px; text-underline-offset: 0.2em }
h2 a:hover { text-decoration-color: currentcolor }
a:focus-visible { outline: 2px solid var(--strong); outline-offset: 2px }
h1, h2, p { margin: 0 0 var(--space) }
h1 { font-size: var(--text-title); letter-spacing: -0.01em }
h2, dl:not(.facts) dt { font-size: var(--text-large); font-weight: 600 }
dl, figure { margin: 0 }
dl:not(.facts) dt { margin-top: var(--space) }
dd { margin: 0; overflow-wrap: anywhere }
h1 + p, dl:not(.facts) dd, .datasets p { color: var(--soft-ink) }
.datasets { margin: var(--space-large) 0 var(--space-huge); padding: 0; list-style: none }
.datasets > li { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(22rem, 100%), 1fr)); gap: var(--space-large) var(--space-huge); padding: calc(1.25 * var(--space-large)) 0; border-top: 1px solid var(--rule) }
.datasets h2 { margin-bottom: var(--space-small); font-size: var(--text-figure) }
.facts { display: flex; flex-wrap: wrap; gap: 2px var(--space-large); font-size: var(--text-small) }
.facts div { display: flex; gap: var(--space-small) }
.facts dt { color: var(--soft-ink) }
.facts dd { font-variant-numeric: tabular-nums }
.sketches { display: grid; grid-template-columns: repeat(auto-fit, minmax(7rem, 1fr)); gap: var(--space-large); align-content: center }
.sketches svg { display: block; width: 100%; height: 3rem }
.sketches path { fill: none; stroke: var(--line-1); stroke-width: 1.25; stroke-linejoin: round; vector-effect: non-scaling-stroke }
.sketches path + path { stroke: var(--line-2) }
.sketches figcaption { margin-top: var(--space-small); padding-top: var(--space-small); border-top: 1px solid var(--rule); color: var(--soft-ink); font-size: var(--text-small) }
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
