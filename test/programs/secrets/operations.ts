import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type HttpOptions, queryAt, send } from '../../support/harness.ts';
import { canaries } from './canaries.ts';

const { token, datasetId, assetId, routerSecret } = canaries;

/** A request of a client with secrets. Add new ones to `operations`. */
export interface Operation {
  readonly title: string;
  /** Sends the request. Returns everything that the response reveals: its headers, its body, its decoded trace. */
  readonly run: (endpoint: URL, requestId: string) => Promise<Revealed>;
}

/** Everything that a response reveals. */
export interface Revealed {
  readonly text: string;
  /** The errors of a GraphQL response. */
  readonly errors: readonly { extensions: { code: string; rest?: { status: number | null } } }[];
}

/** Headers with every secret of a request, and with the request for a trace. */
const headersOf = (requestId: string) => ({
  authorization: `Bearer ${token}`,
  'router-authorization': routerSecret,
  'apollo-federation-include-trace': 'ftv1',
  'x-request-id': requestId,
});

function graphql(title: string, document: string, more: Record<string, unknown> = {}): Operation {
  const { operationName, headers, ...others } = more as { operationName?: string; headers?: HttpOptions['headers'] };
  const variables = { id: datasetId, assetId, ...others };
  return {
    title,
    run: async (endpoint, requestId) => {
      const request = { variables, token: null, headers: { ...headersOf(requestId), ...headers } };
      return revealedBy(await queryAt(endpoint, document, { ...request, ...(operationName && { operationName }) }));
    },
  };
}

function http(title: string, path: string, options: HttpOptions = {}): Operation {
  return {
    title,
    run: async (endpoint, requestId) => {
      const headers = { ...headersOf(requestId), 'content-type': 'application/json', ...options.headers };
      try {
        return revealedBy(await send(new URL(path, endpoint), { ...options, headers }));
      } catch (error) {
        // A body may be too long to be sent before the server closes a connection above its limit.
        if (!['EPIPE', 'ECONNRESET'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
        return { text: String(error), errors: [] };
      }
    },
  };
}

/** A download. The content and the type of the file come from the service and are not checked. */
function file(title: string, pathOf: (endpoint: URL, requestId: string) => string | Promise<string>): Operation {
  return {
    title,
    run: async (endpoint, requestId) => {
      const path = await pathOf(endpoint, requestId);
      try {
        const response = await send(new URL(path, endpoint), { headers: headersOf(requestId) });
        const { 'content-type': _, ...headers } = response.headers;
        return response.status === 200 ? { text: JSON.stringify(headers), errors: [] } : revealedBy(response);
      } catch (error) {
        // A truncated file closes the connection.
        return { text: String(error), errors: [] };
      }
    },
  };
}

/** The path of a file with a ticket; without a ticket, an invalid path. */
async function ticketPath(endpoint: URL, requestId: string): Promise<string> {
  const headers = headersOf(requestId);
  const { body } = await queryAt(endpoint, ofDataset('download { ticketUrl }'), {
    variables: { id: datasetId },
    token: null,
    headers,
  });
  const url = body?.data?.dataset?.download?.ticketUrl;
  return typeof url === 'string' ? new URL(url).pathname : `/download/${token}`;
}

/** Bytes that are not a valid request. */
function bytes(title: string, text: string): Operation {
  return {
    title,
    run: async ({ hostname, port }) => {
      const socket = connect(Number(port), hostname);
      socket.on('error', () => {});
      socket.write(text);
      return { text: await readText(socket), errors: [] };
    },
  };
}

function revealedBy({ headers, text, body }: Awaited<ReturnType<typeof send>>): Revealed {
  const trace = Buffer.from(body?.extensions?.ftv1 ?? '', 'base64').toString('latin1');
  return { text: [JSON.stringify(headers), text, trace].join('\n'), errors: body?.errors ?? [] };
}

const ofDataset = (selection: string) => `query ($id: ID!) { dataset(id: $id) { ${selection} } }`;
const ofAsset = (selection: string) => `query ($id: ID!, $assetId: ID!) { dataset(id: $id) { ${selection} } }`;
const ofEntities = (selection: string) =>
  `query ($references: [_Any!]!) { _entities(representations: $references) { ${selection} } }`;
const dataset = (id: unknown) => ({ __typename: 'Dataset', id });
const asset = (id: unknown) => ({ __typename: 'Asset', datasetId, assetId: id });
const requestStart = `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
const preflight = { 'apollo-require-preflight': '1' };
const row = 'valueDate metrics { name value } value(metric: "m")';

/** The first one needs only the metadata call. Its error is the expected one of a fixture. */
export const operations: readonly Operation[] = [
  graphql('metadata', ofDataset('name')),
  graphql('all metadata', ofDataset('id name description sharing processing { id } startDate startDateTime')),
  graphql('rows', ofDataset(`results { processingId series { nodes { version results { ${row} } } } }`)),
  graphql('columns', ofDataset('results { series { nodes { columns { valueDates metrics { name values } } } } }')),
  graphql('a page', ofDataset('results { series(first: 1) { edges { cursor } pageInfo { endCursor } } }')),
  graphql('an invalid cursor', ofDataset(`results { series(after: "${token}") { totalCount } }`)),
  graphql('a filter', ofAsset('results(filter: { assetIds: [$assetId] }) { series { nodes { asset { name } } } }')),
  graphql('an invalid filter', ofDataset(`results(filter: { assetIds: ["${token.repeat(20)}"] }) { sourceId }`)),
  graphql('an asset', ofAsset('asset(assetId: $assetId) { name centroid { latitude } parent { name } }')),
  graphql(
    'an asset in two times',
    ofAsset('asset(assetId: $assetId) { name series(filter: { timeRange: { start: 0 } }) { version } }'),
  ),
  graphql('shared assets', ofAsset('a: asset(assetId: $assetId) { name } b: asset(assetId: "b") { name }')),
  graphql('datasets', 'query ($id: ID!) { datasetsByIds(ids: [$id, "..", $id]) { name results { sourceId } } }'),
  graphql('dataset references', ofEntities('... on Dataset { name results { sourceId } }'), {
    references: [dataset(datasetId), dataset('..'), dataset(null), dataset([datasetId]), dataset(datasetId)],
  }),
  graphql('asset references', ofEntities('... on Asset { name series { version } }'), {
    references: [asset(assetId), asset(''), asset(token.length), asset({ assetId }), asset(assetId)],
  }),
  graphql('a reference of an unknown type', ofEntities('__typename'), { references: [{ __typename: assetId }] }),
  graphql('a download', ofDataset('download { url method requiredHeaders }')),
  graphql('a download with the token in its URL', ofDataset('downloadUrlWithToken')),
  graphql('a download with a ticket', ofDataset('download { ticketUrl }')),
  file('a file', () => `/download/dataset/${datasetId}`),
  file('a file of an invalid id', () => `/download/dataset/${token.repeat(20)}`),
  file('a file by its ticket', ticketPath),
  file(
    'a file by an altered ticket',
    async (endpoint, requestId) => `${await ticketPath(endpoint, requestId)}${token}`,
  ),
  file('a file by a token instead of the ticket', () => `/download/${token}?token=${token}`),
  graphql('introspection', '{ __schema { types { name description } } }'),
  graphql('the schema', '{ _service { sdl } }'),
  graphql('a document that does not parse', `{ dataset(id: `),
  graphql('an unknown field', `query ($id: ID!) { dataset(id: $id) { naame } }`),
  graphql('an unknown operation', ofDataset('name'), { operationName: 'Other' }),
  graphql('an invalid variable', ofDataset('name'), { id: { of: [1] } }),
  graphql('no token', ofDataset('name'), { headers: { authorization: [] } }),
  graphql('a token of another scheme', ofDataset('name'), { headers: { authorization: `Basic ${token}` } }),
  graphql('a token too long', ofDataset('name'), { headers: { authorization: `Bearer ${token}${'x'.repeat(8000)}` } }),
  graphql('a token with a space', ofDataset('name'), { headers: { authorization: `Bearer ${token} ${token}` } }),
  graphql('a token given twice', ofDataset('name'), {
    headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] },
  }),
  graphql('an unknown token', ofDataset('name'), { headers: { authorization: `Bearer x${token}` } }),
  graphql('another secret of the router', ofDataset('name'), {
    headers: { 'router-authorization': `${routerSecret}x` },
  }),
  graphql('a secret of the router given twice', ofDataset('name'), {
    headers: { 'router-authorization': [routerSecret, routerSecret] },
  }),
  http('an unknown path', `/${datasetId}?token=${token}`),
  http('a path that cannot be decoded', `/%ff${datasetId}`),
  http('a page of Sandbox', '/graphql', { headers: { accept: 'text/html' } }),
  http('a query by GET', `/graphql?query={dataset(id:"${datasetId}"){name}}&token=${token}`, { headers: preflight }),
  http('a GET without a valid query', `/graphql?query={${datasetId}&token=${token}`, { headers: preflight }),
  http('a GET without preflight', `/graphql?query={__typename}&token=${token}`),
  http('another method', `/graphql?token=${token}`, { method: 'DELETE' }),
  http('a body that is not JSON', '/graphql', { method: 'POST', body: `{"query":"${token}` }),
  http('a body that is not UTF-8', '/graphql', { method: 'POST', body: Buffer.from(`{"${token}":"\xff"}`, 'latin1') }),
  http('a body with a bad key', '/graphql', {
    method: 'POST',
    body: `{"query":"{__typename}","__proto__":"${token}"}`,
  }),
  http('a body larger than 1 MB', '/graphql', {
    method: 'POST',
    body: JSON.stringify({ query: token, padding: 'x'.repeat(2 ** 20) }),
  }),
  http('a body of another type', '/graphql', {
    method: 'POST',
    body: token,
    headers: { 'content-type': `text/${token}` },
  }),
  http('a body in another encoding', '/graphql', {
    method: 'POST',
    body: token,
    headers: { 'content-encoding': token },
  }),
  http('several operations in one body', '/graphql', { method: 'POST', body: `[{"query":"{__typename}"}]` }),
  http('health', `/health/ready?token=${token}`),
  bytes('a header line without a colon', `${requestStart}${token}\r\n\r\n`),
  bytes('a control character in the token', `${requestStart}X: ${token}\u0001\r\n\r\n`),
  bytes('two content lengths', `${requestStart}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`),
  bytes('a content length and chunks', `${requestStart}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`),
  bytes('headers too large', `${requestStart}X: ${token}${'x'.repeat(70_000)}\r\n\r\n`),
  bytes('an unknown method', `${token} /graphql HTTP/1.1\r\n\r\n`),
  bytes('no HTTP', `${token}\r\n\r\n`),
  bytes('no Host', `POST /graphql HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`),
  bytes('an unknown expectation', `${requestStart}Connection: close\r\nExpect: ${token}\r\n\r\n`),
];

/** Another client at the same time, without these secrets. */
export const bystander: Operation = {
  title: 'a bystander',
  run: async (endpoint, requestId) => {
    const headers = { ...headersOf(requestId), authorization: 'Bearer token-of-a-bystander' };
    return revealedBy(await queryAt(endpoint, '{ dataset(id: "of-a-bystander") { name } }', { token: null, headers }));
  },
};
