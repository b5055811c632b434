import { TOKEN } from '../../support/harness.ts';

/** Queries a gateway that may answer in parts. The body is then the list of them; errors are without their locations. */
export async function queryInParts(url: URL, document: string, accepts?: 'parts') {
  const accept = `${accepts === undefined ? '' : 'multipart/mixed;deferSpec=20220824, '}application/json`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, accept },
    body: JSON.stringify({ query: document }),
  });
  const { status, headers } = response;
  const text = await response.text();
  const [, boundary] = /^multipart\/mixed;.*boundary="?([^";]+)/.exec(headers.get('content-type') ?? '') ?? [];
  if (boundary === undefined) return { status, body: parse(text) };
  // Each part has headers, an empty line and JSON.
  const parts = text.split(`--${boundary}`).slice(1, -1);
  return { status, body: parts.map((part) => parse(part.slice(part.indexOf('\r\n\r\n')))) };
}

function parse(json: string): unknown {
  return JSON.parse(json, (key, value) => (key === 'locations' ? undefined : value));
}
