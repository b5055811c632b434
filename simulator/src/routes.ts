/** The four endpoints: three operations (§4) and the login (§5). */
export type Operation = 'getDatasetMetadata' | 'downloadStaticDataset' | 'getDatasetResults' | 'login';

/** One endpoint; the group of its path is the path parameter datasetId. */
export interface Endpoint {
  readonly operation: Operation;
  readonly method: string;
  readonly path: RegExp;
}

const endpoints: readonly Endpoint[] = [
  { operation: 'getDatasetMetadata', method: 'GET', path: /^\/v1\/collection\/dataset\/summary\/([^/]+)$/ },
  {
    operation: 'downloadStaticDataset',
    method: 'GET',
    path: /^\/v1\/collection\/staticdataset\/([^/]+)\/download$/,
  },
  { operation: 'getDatasetResults', method: 'POST', path: /^\/v1\/processingresult\/dataset\/([^/]+)$/ },
  { operation: 'login', method: 'POST', path: /^\/v3\/login$/ },
];

/** The route of a request target. It ignores the method, to tell a wrong method from a wrong path. */
export interface Route {
  /** undefined: no such endpoint */
  readonly endpoint: Endpoint | undefined;
  /** The decoded path parameter; undefined: there is none, or it cannot be decoded. */
  readonly datasetId: string | undefined;
  readonly query: URLSearchParams;
}

/**
 * Parses a raw request target. It matches the path as received: `URL` would resolve dot segments, and so hide that a client
 * did not encode an identifier.
 */
export function routeOf(target: string): Route {
  const queryStart = target.indexOf('?');
  const path = queryStart === -1 ? target : target.slice(0, queryStart);
  const query = new URLSearchParams(queryStart === -1 ? '' : target.slice(queryStart));
  const endpoint = endpoints.find((candidate) => candidate.path.test(path));
  const parameter = endpoint?.path.exec(path)?.[1];
  return { endpoint, datasetId: parameter === undefined ? undefined : decode(parameter), query };
}

function decode(parameter: string): string | undefined {
  try {
    return decodeURIComponent(parameter);
  } catch {
    return undefined;
  }
}
