import type { SimulatedAccount, SimulatedDataset, SimulatedFile } from './dataset.ts';
import type { RecordedRequest } from './recorder.ts';
import { type Answer, jsonBytesResponse, jsonResponse, Refusal, refusalResponse } from './response.ts';
import { parseFilter, restrictsNothing, selectResults } from './results.ts';
import { routeOf } from './routes.ts';

/** The answer the specification gives to a request. */
export type Service = (request: RecordedRequest) => Answer;

/** The service over these accounts and datasets. */
export function createService(accounts: readonly SimulatedAccount[], datasets: readonly SimulatedDataset[]): Service {
  const tokens = new Set(accounts.map((account) => account.token));
  const datasetsById = new Map(datasets.map((dataset) => [dataset.metadata.id, dataset]));
  if (datasetsById.size !== datasets.length) {
    throw new TypeError('Two simulated datasets have the same id.');
  }
  const wholeResults = new Map<SimulatedDataset, Uint8Array>();

  function response(request: RecordedRequest): Answer {
    const { endpoint, datasetId, query } = routeOf(request.target);
    if (endpoint === undefined) {
      throw new Refusal('NOT_FOUND', 'No such endpoint.');
    }
    if (request.method !== endpoint.method) {
      const refusal = refusalResponse('METHOD_NOT_ALLOWED', `The method of this endpoint is ${endpoint.method}.`);
      return { ...refusal, headers: { ...refusal.headers, allow: endpoint.method } };
    }
    if (endpoint.operation === 'login') {
      return login(request);
    }
    if (datasetId === undefined) {
      throw new Refusal('BAD_REQUEST', 'The path parameter does not decode.');
    }
    // §4.4 leaves open how authToken relates to the header: here it counts only where there is no header.
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

  function login(request: RecordedRequest): Answer {
    const { email, password } = credentialsOf(request);
    const account = accounts.find((candidate) => candidate.email === email && candidate.password === password);
    if (account === undefined) {
      throw new Refusal('WRONG_CREDENTIALS', 'No account has this email and password.');
    }
    return jsonResponse({ token: account.token });
  }

  function readableDataset(id: string, token: string | undefined): SimulatedDataset {
    if (token === undefined || !tokens.has(token)) {
      throw new Refusal('WRONG_CREDENTIALS', 'The access token is missing or unknown.');
    }
    const dataset = datasetsById.get(id);
    if (dataset === undefined) {
      throw new Refusal('NOT_FOUND', 'No such dataset.');
    }
    if (dataset.readers !== undefined && !dataset.readers.includes(token)) {
      throw new Refusal('ACCESS_DENIED', 'The dataset is not shared with this account.');
    }
    return dataset;
  }

  function results(dataset: SimulatedDataset, request: RecordedRequest): Answer {
    if (request.body !== '') {
      requireJsonContent(request);
    }
    const filter = parseFilter(request.body);
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
      if (error instanceof Refusal) {
        return refusalResponse(error.label, error.message);
      }
      throw error;
    }
  };
}

/** The token of the one Authorization header (§5), which has exactly the form shown there. */
function bearerToken(request: RecordedRequest): string | undefined {
  return /^Bearer (.+)$/.exec(single(request.headers.authorization) ?? '')?.[1];
}

function credentialsOf(request: RecordedRequest): { email: string; password: string } {
  requireJsonContent(request);
  let body: { email?: unknown; password?: unknown } | null;
  try {
    body = JSON.parse(request.body);
  } catch {
    throw new Refusal('BAD_REQUEST', 'The body is not JSON.');
  }
  const email = body?.email;
  const password = body?.password;
  if (typeof email !== 'string' || typeof password !== 'string') {
    throw new Refusal('BAD_REQUEST', 'The body does not hold an email and a password.');
  }
  return { email, password };
}

/** §1 names the one request content type, §7 no 415: another one is a bad request. */
function requireJsonContent(request: RecordedRequest): void {
  const contentType = single(request.headers['content-type']) ?? '';
  if (!/^application\/json *(;|$)/i.test(contentType)) {
    throw new Refusal('BAD_REQUEST', 'The request content type is not application/json.');
  }
}

function download(file: SimulatedFile | undefined): Answer {
  if (file === undefined) {
    throw new Refusal('NOT_FOUND', 'The dataset has no file.');
  }
  const headers = { 'content-type': file.contentType, 'content-disposition': contentDisposition(file.name) };
  return { status: 200, headers, body: file.bytes };
}

/** RFC 6266: a quoted file name, and where that would lose characters also the extended form of RFC 8187. */
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
