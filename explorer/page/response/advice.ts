import type { Absence, ResponseFailure } from './worker/protocol.ts';

const fixDocument = 'Fix the query. The editor underlines what does not match the schema.';
const tellOperator = 'Tell the operator of the dataset service the request id.';
const later = 'Try again a little later.';

/** What to do about an error, by its code. docs/errors.md has the causes. */
const adviceByCode: Readonly<Record<string, string>> = {
  UNAUTHENTICATED:
    'Put a valid token into the field “Bearer token”. If there is one, it may have expired: log in again.',
  FORBIDDEN: 'The token may not read this. Ask the owner of the dataset, or the operator.',
  NOT_FOUND: 'Check the id, and copy it from the dataset’s dashboard.',
  BAD_USER_INPUT: 'Fix the input: the message names the rule.',
  CONFLICT: tellOperator,
  RATE_LIMITED: 'Wait some seconds, and try again.',
  UPSTREAM_UNAVAILABLE: `The dataset service is down or overloaded. ${later}`,
  UPSTREAM_TIMEOUT: 'The dataset service is slow. Try again, or select a shorter time range or fewer assets.',
  UPSTREAM_ERROR: 'Try again. If it still fails, tell the operator of the dataset service the request id.',
  UPSTREAM_REJECTED: 'Check the ids and the time range in the variables.',
  UPSTREAM_CONTRACT_ERROR: 'Tell the operator to check DATASET_SERVICE_URL.',
  UPSTREAM_INVALID_RESPONSE: tellOperator,
  UPSTREAM_RESPONSE_TOO_LARGE: 'Select fewer assets or a shorter time range, or get the results as a file.',
  REQUEST_LIMIT_EXCEEDED: 'Split the query into smaller ones: the message names the limit.',
  GRAPHQL_PARSE_FAILED: fixDocument,
  GRAPHQL_VALIDATION_FAILED: fixDocument,
  BAD_REQUEST: fixDocument,
  OPERATION_RESOLUTION_FAILURE: 'Put the cursor into the operation that you want to run.',
  PAYLOAD_TOO_LARGE: 'Shorten the query and its variables.',
  OVERLOADED: `The subgraph is busy. ${later}`,
  SHUTTING_DOWN: `The subgraph is restarting. ${later}`,
  INTERNAL_SERVER_ERROR: 'This is a bug of the subgraph. Report it with the request id.',
};

/** What to do about an error with this code; undefined for an unknown code. */
export function adviceOf(code: string): string | undefined {
  return adviceByCode[code];
}

/** The codes of errors that may be gone the next time. An error without a code is not of the subgraph, but of what is before it. */
const passingCodes: readonly string[] = [
  'RATE_LIMITED',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_ERROR',
  'REQUEST_TIMEOUT',
  'OVERLOADED',
  'SHUTTING_DOWN',
  '',
];

/** Whether the same operation may succeed after an error with this code. */
export function canRetry(code: string): boolean {
  return passingCodes.includes(code);
}

/** What happened, and what to do, when there is no response. */
export function failureText({ kind, status, detail }: ResponseFailure): {
  title: string;
  detail: string;
  advice: string;
} {
  if (kind === 'notSent') {
    return {
      title: 'The query was not sent.',
      detail,
      advice: 'Fix the variables below the query, and run it again.',
    };
  }
  if (kind === 'network') {
    return {
      title: 'The server did not respond.',
      detail,
      advice: 'Check that the subgraph runs and that the network works, and try again.',
    };
  }
  if (kind === 'memory') {
    return {
      title: 'The response does not fit into the memory of this browser.',
      detail,
      advice: 'Ask for columns instead of rows, fewer assets, or a shorter time range.',
    };
  }
  return {
    title: `The response is not JSON (status ${status}).`,
    detail,
    advice: 'A proxy or a login page may have responded instead of the subgraph.',
  };
}

/** Why nothing is drawn. */
export const absenceTexts: Readonly<Record<Absence, string>> = {
  noAssets: 'No assets: the dataset has none, or none match the filter.',
  noRows: 'No rows: the assets have no results in this time range.',
  nothingSelected: 'Nothing here can be drawn. Select “rows” or “columns” of some assets.',
};
