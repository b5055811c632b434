import { TOKEN } from '../../support/harness.ts';

/** A response as it came. */
export interface Received {
  readonly status: number;
  /** The whole body without the locations of errors. Of an incremental response: the list of its parts. */
  readonly body: unknown;
}

/**
 * Queries a gateway that may answer in parts (`multipart/mixed`).
 *
 * @param onPart called when the first part is complete
 */
export async function queryInParts(url: URL, document: string, accept: string, onPart: () => void): Promise<Received> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${TOKEN}`, accept },
    body: JSON.stringify({ query: document }),
  });
  const { status, headers } = response;
  const [, boundary] = /^multipart\/mixed;.*boundary="?([^";]+)/.exec(headers.get('content-type') ?? '') ?? [];
  if (boundary === undefined) return { status, body: parse(await response.text()) };
  let text = '';
  // Each part has headers, an empty line and JSON.
  const parts = () =>
    text
      .split(`--${boundary}`)
      .slice(1, -1)
      .map((part) => parse(part.slice(part.indexOf('\r\n\r\n'))));
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    if (parts().length > 0) onPart();
  }
  return { status, body: parts() };
}

/** Private. */
function parse(json: string): unknown {
  return JSON.parse(json, (key, value) => (key === 'locations' ? undefined : value));
}
