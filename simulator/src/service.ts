import type { SimulatedAccount, SimulatedDataset, SimulatedFile } from './dataset.ts';
import { parseFilter, restrictsNothing } from './filter.ts';
import { generatedBody } from './generated-body.ts';
import type { RecordedRequest } from './recorder.ts';
import { jsonBytesResponse, jsonResponse, labelResponse, ServiceError, type SimulatedResponse } from './response.ts';
import { selectResults } from './results.ts';
import { routeOf } from './routes.ts';

/** Gives a request the response that the specification prescribes. */
export type Service = (request: RecordedRequest) => SimulatedResponse;

/** The service over these accounts and datasets. */
export function createService(accounts: readonly SimulatedAccount[], datasets: readonly SimulatedDataset[]): Service {
  const tokens = new Set(accounts.map((account) => account.token));
  const datasetsById = new Map(datasets.map((dataset) => [dataset.metadata.id, dataset]));
  if (datasetsById.size !== datasets.length) {
    throw new TypeError('Two simulated datasets have the same id.');
  }
  const wholeResults = new Map<SimulatedDataset, Uint8Array>();

  function response(request: RecordedRequest): SimulatedResponse {
    const { endpoint, datasetId, query } = routeOf(request.target);
    if (endpoint === undefined) {
      throw new ServiceError('NOT_FOUND', 'No such endpoint.');
    }
    if (request.method !== endpoint.method) {
      const notAllowed = labelResponse('METHOD_NOT_ALLOWED', `This endpoint allows only ${endpoint.method}.`);
      return { ...notAllowed, headers: { ...notAllowed.headers, allow: endpoint.method } };
    }
    if (endpoint.operation === 'login') {
      return login(request);
    }
    if (datasetId === undefined) {
      throw new ServiceError('BAD_REQUEST', 'The path parameter cannot be decoded.');
    }
    // §4.4 leaves open how authToken relates to the header: here it applies only without the header.
    const token =
      bearerToken(request) ??
      (endpoint.operation === 'downloadStaticDataset' && request.headers.authorization === undefined
        ? single(query.getAll('authToken'))
        : undefined);
    const dataset = readableDataset(datasetId, token);
    switch (endpoint.operation) {
      case 'getDatasetMetadata':
        return jsonResponse(dataset.metadata);
      case 'downloadStaticDataset':
        return download(dataset.file);
      case 'getDatasetResults':
        return results(dataset, request);
    }
  }

  function login(request: RecordedRequest): SimulatedResponse {
    const { email, password } = credentialsOf(request);
    const account = accounts.find((candidate) => candidate.email === email && candidate.password === password);
    if (account === undefined) {
      throw new ServiceError('WRONG_CREDENTIALS', 'No account has this email and password.');
    }
    return jsonResponse({ token: account.token });
  }

  function readableDataset(id: string, token: string | undefined): SimulatedDataset {
    if (token === undefined || !tokens.has(token)) {
      throw new ServiceError('WRONG_CREDENTIALS', 'The access token is missing or unknown.');
    }
    const dataset = datasetsById.get(id);
    if (dataset === undefined) {
      throw new ServiceError('NOT_FOUND', 'No such dataset.');
    }
    if (dataset.readers !== undefined && !dataset.readers.includes(token)) {
      throw new ServiceError('ACCESS_DENIED', 'The dataset is not shared with this account.');
    }
    return dataset;
  }

  function results(dataset: SimulatedDataset, request: RecordedRequest): SimulatedResponse {
    if (request.body !== '') {
      requireJsonContent(request);
    }
    const filter = parseFilter(request.body);
    if (dataset.generated !== undefined) {
      return jsonBytesResponse(generatedBody(dataset.generated, filter));
    }
    if (!restrictsNothing(filter)) {
      return jsonResponse(selectResults(dataset, filter));
    }
    const bytes = wholeResults.get(dataset) ?? Buffer.from(JSON.stringify(selectResults(dataset, filter)));
    wholeResults.set(dataset, bytes);
    return jsonBytesResponse(bytes);
  }

  return (request) => {
    try {
      return response(request);
    } catch (error) {
      if (error instanceof ServiceError) {
        return labelResponse(error.label, error.message);
      }
      throw error;
    }
  };
}

/** The token of the Authorization header (§5). There must be exactly one, in the form shown there. */
function bearerToken(request: RecordedRequest): string | undefined {
  return /^Bearer (.+)$/.exec(single(request.headers.authorization) ?? '')?.[1];
}

function credentialsOf(request: RecordedRequest): { email: string; password: string } {
  requireJsonContent(request);
  let body: { email?: unknown; password?: unknown } | null;
  try {
    body = JSON.parse(request.body);
  } catch {
    throw new ServiceError('BAD_REQUEST', 'The body is not JSON.');
  }
  const email = body?.email;
  const password = body?.password;
  if (typeof email !== 'string' || typeof password !== 'string') {
    throw new ServiceError('BAD_REQUEST', 'The body has no email and password.');
  }
  return { email, password };
}

/** §1 allows one request content type, and §7 lists no 415. So any other content type is a bad request. */
function requireJsonContent(request: RecordedRequest): void {
  const contentType = single(request.headers['content-type']) ?? '';
  if (!/^application\/json *(;|$)/i.test(contentType)) {
    throw new ServiceError('BAD_REQUEST', 'The request content type is not application/json.');
  }
}

function download(file: SimulatedFile | undefined): SimulatedResponse {
  if (file === undefined) {
    throw new ServiceError('NOT_FOUND', 'The dataset has no file.');
  }
  const headers = { 'content-type': file.contentType, 'content-disposition': contentDisposition(file.name) };
  return { status: 200, headers, body: file.bytes };
}

/** RFC 6266: a quoted file name. If that loses characters, the extended form of RFC 8187 follows. */
function contentDisposition(fileName: string): string {
  const fallback = fileName.replace(/[^\x20-\x7e]/gu, '_');
  const quoted = `attachment; filename="${fallback.replace(/["\\]/g, '\\$&')}"`;
  if (fallback === fileName) {
    return quoted;
  }
  const encoded = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `${quoted}; filename*=UTF-8''${encoded}`;
}

function single(values: readonly string[] | undefined): string | undefined {
  return values?.length === 1 ? values[0] : undefined;
}
