import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type HttpOptions, queryAt, send } from '../../harness.ts';
import { canaries } from './canaries.ts';

const { token, datasetId, assetId, routerSecret } = canaries;

/** What a caller does who has secrets; a new operation is a line of `operations`. */
export interface Operation {
  readonly title: string;
  /** Does it; gives everything that the answer tells: its headers, its body, its trace decoded. */
  readonly run: (endpoint: URL, requestId: string) => Promise<Told>;
}

export interface Told {
  readonly text: string;
  /** The answer's errors, where it is one of GraphQL. */
  readonly errors: readonly { extensions: { code: string; rest?: { status: number | null } } }[];
}

/** Headers that bring every secret of a request, and ask for everything that can be asked for. */
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
      const given = { ...headersOf(requestId), ...headers };
      return told(
        await queryAt(endpoint, document, {
          variables,
          token: null,
          headers: given,
          ...(operationName && { operationName }),
        }),
      );
    },
  };
}

function http(title: string, path: string, options: HttpOptions = {}): Operation {
  return {
    title,
    run: async (endpoint, requestId) =>
      told(
        await send(new URL(path, endpoint), {
          ...options,
          headers: { ...headersOf(requestId), 'content-type': 'application/json', ...options.headers },
        }),
      ),
  };
}

/** A download; what the file itself tells, its type included, is the service's to say. */
function file(title: string, pathOf: (endpoint: URL, requestId: string) => string | Promise<string>): Operation {
  return {
    title,
    run: async (endpoint, requestId) => {
      const path = await pathOf(endpoint, requestId);
      try {
        const response = await send(new URL(path, endpoint), { headers: headersOf(requestId) });
        const { 'content-type': _, ...headers } = response.headers;
        return response.status === 200 ? { text: JSON.stringify(headers), errors: [] } : told(response);
      } catch (error) {
        // A file that ends short breaks the connection.
        return { text: String(error), errors: [] };
      }
    },
  };
}

/** The path of a file with a ticket; where there is no ticket, another one that is no better. */
async function ticketPath(endpoint: URL, requestId: string): Promise<string> {
  const headers = headersOf(requestId);
  const { body } = await queryAt(endpoint, ofDataset('download { url(auth: TICKET) }'), {
    variables: { id: datasetId },
    token: null,
    headers,
  });
  const url = body?.data?.dataset?.download?.url;
  return typeof url === 'string' ? new URL(url).pathname : `/download/${token}`;
}

/** Bytes that are no valid request. */
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

function told({ headers, text, body }: Awaited<ReturnType<typeof send>>): Told {
  const trace = Buffer.from(body?.extensions?.ftv1 ?? '', 'base64').toString('latin1');
  return { text: [JSON.stringify(headers), text, trace].join('\n'), errors: body?.errors ?? [] };
}

const ofDataset = (selection: string) => `query ($id: ID!) { dataset(id: $id) { ${selection} } }`;
const ofAsset = (selection: string) => `query ($id: ID!, $assetId: ID!) { dataset(id: $id) { ${selection} } }`;
const ofEntities = (selection: string) =>
  `query ($references: [_Any!]!) { _entities(representations: $references) { ${selection} } }`;
const dataset = (id: unknown) => ({ __typename: 'Dataset', id });
const asset = (id: unknown) => ({ __typename: 'Asset', datasetId, assetId: id });
const head = `POST /graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n`;
const preflight = { 'apollo-require-preflight': '1' };
const row = 'valueDate metrics { name value } value(metric: "m")';

/** The first one needs the metadata call alone: its error is what a scene has to show. */
export const operations: readonly Operation[] = [
  graphql('metadata', ofDataset('name')),
  graphql('all metadata', ofDataset('id name description sharing processing { id } startDate startDateTime')),
  graphql('rows', ofDataset(`results { processingId series { nodes { version results { ${row} } } } }`)),
  graphql('columns', ofDataset('results { series { nodes { columns { valueDates metrics { name values } } } } }')),
  graphql('a page', ofDataset('results { series(first: 1) { edges { cursor } pageInfo { endCursor } } }')),
  graphql('a cursor that does not fit', ofDataset(`results { series(after: "${token}") { totalCount } }`)),
  graphql('a filter', ofAsset('results(filter: { assetIds: [$assetId] }) { series { nodes { asset { name } } } }')),
  graphql('a filter that cannot be', ofDataset(`results(filter: { assetIds: ["${token.repeat(20)}"] }) { sourceId }`)),
  graphql('an asset', ofAsset('asset(assetId: $assetId) { name centroid { latitude } parent { name } }')),
  graphql(
    'an asset in two times',
    ofAsset('asset(assetId: $assetId) { name series(timeRange: { start: 0 }) { version } }'),
  ),
  graphql('shared assets', ofAsset('a: asset(assetId: $assetId) { name } b: asset(assetId: "b") { name }')),
  graphql('datasets', 'query ($id: ID!) { datasets(ids: [$id, "..", $id]) { name results { sourceId } } }'),
  graphql('dataset references', ofEntities('... on Dataset { name results { sourceId } }'), {
    references: [dataset(datasetId), dataset('..'), dataset(null), dataset([datasetId]), dataset(datasetId)],
  }),
  graphql('asset references', ofEntities('... on Asset { name series { version } }'), {
    references: [asset(assetId), asset(''), asset(token.length), asset({ assetId }), asset(assetId)],
  }),
  graphql('a reference of an unknown type', ofEntities('__typename'), { references: [{ __typename: assetId }] }),
  graphql('a download', ofDataset('download { url method requiredHeaders }')),
  graphql('a download with the token in its URL', ofDataset('download { url(auth: TOKEN_IN_URL) }')),
  graphql('a download with a ticket', ofDataset('download { url(auth: TICKET) }')),
  file('a file', () => `/download/dataset/${datasetId}`),
  file('a file of an id that cannot be', () => `/download/dataset/${token.repeat(20)}`),
  file('a file by its ticket', ticketPath),
  file(
    'a file by an altered ticket',
    async (endpoint, requestId) => `${await ticketPath(endpoint, requestId)}${token}`,
  ),
  file('a file by a token in place of the ticket', () => `/download/${token}?token=${token}`),
  graphql('introspection', '{ __schema { types { name description } } }'),
  graphql('the schema', '{ _service { sdl } }'),
  graphql('a document that does not parse', `{ dataset(id: `),
  graphql('a field that is not there', `query ($id: ID!) { dataset(id: $id) { naame } }`),
  graphql('an operation that is not there', ofDataset('name'), { operationName: 'Other' }),
  graphql('a variable that does not fit', ofDataset('name'), { id: { of: [1] } }),
  graphql('no token', ofDataset('name'), { headers: { authorization: [] } }),
  graphql('a token of another scheme', ofDataset('name'), { headers: { authorization: `Basic ${token}` } }),
  graphql('a token too long', ofDataset('name'), { headers: { authorization: `Bearer ${token}${'x'.repeat(8000)}` } }),
  graphql('a token with a space', ofDataset('name'), { headers: { authorization: `Bearer ${token} ${token}` } }),
  graphql('a token given twice', ofDataset('name'), {
    headers: { authorization: [`Bearer ${token}`, `Bearer ${token}`] },
  }),
  graphql('a token that nobody knows', ofDataset('name'), { headers: { authorization: `Bearer x${token}` } }),
  graphql('another secret of the router', ofDataset('name'), {
    headers: { 'router-authorization': `${routerSecret}x` },
  }),
  graphql('a secret of the router given twice', ofDataset('name'), {
    headers: { 'router-authorization': [routerSecret, routerSecret] },
  }),
  http('a path that is not there', `/${datasetId}?token=${token}`),
  http('a path that does not decode', `/%ff${datasetId}`),
  http('a page of Sandbox', '/graphql', { headers: { accept: 'text/html' } }),
  http('a query by GET', `/graphql?query={dataset(id:"${datasetId}"){name}}&token=${token}`, { headers: preflight }),
  http('a GET that is no query', `/graphql?query={${datasetId}&token=${token}`, { headers: preflight }),
  http('a GET without preflight', `/graphql?query={__typename}&token=${token}`),
  http('another method', `/graphql?token=${token}`, { method: 'DELETE' }),
  http('a body that is no JSON', '/graphql', { method: 'POST', body: `{"query":"${token}` }),
  http('a body that is no UTF-8', '/graphql', { method: 'POST', body: Buffer.from(`{"${token}":"\xff"}`, 'latin1') }),
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
  bytes('a head line without a colon', `${head}${token}\r\n\r\n`),
  bytes('a control character in the token', `${head}X: ${token}\u0001\r\n\r\n`),
  bytes('two lengths', `${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\n`),
  bytes('a length and chunks', `${head}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`),
  bytes('a head too large', `${head}X: ${token}${'x'.repeat(70_000)}\r\n\r\n`),
  bytes('an unknown method', `${token} /graphql HTTP/1.1\r\n\r\n`),
  bytes('no HTTP', `${token}\r\n\r\n`),
  bytes('no Host', `POST /graphql HTTP/1.1\r\nConnection: close\r\nAuthorization: Bearer ${token}\r\n\r\n`),
  bytes('an unknown expectation', `${head}Connection: close\r\nExpect: ${token}\r\n\r\n`),
];

/** A caller of no part in this, at the same time. */
export const bystander: Operation = {
  title: 'a bystander',
  run: async (endpoint, requestId) => {
    const headers = { ...headersOf(requestId), authorization: 'Bearer token-of-a-bystander' };
    return told(await queryAt(endpoint, '{ dataset(id: "of-a-bystander") { name } }', { token: null, headers }));
  },
};
