/**
 * What can go wrong, what happens then, and which test shows it. docs.test.ts checks that the tests, scripts and settings
 * are there. docs/security.md and docs/errors.md have what readers act on.
 *
 * Over 300 lines: it is one table.
 */

/** A hazard, a guarantee, a limit or a fault. */
export interface Guard {
  readonly kind:
    | 'guarantee'
    /** `hazard` is what has the limit, `happens` its value and the error beyond it. */
    | 'limit'
    /** Hazards: requests of clients, calls to the REST service, secrets, and the server. */
    | 'request'
    | 'REST call'
    | 'secret'
    | 'server'
    /** Faults: what the client sees, how fast with the default settings, and how the subgraph recovers. */
    | 'service fault'
    | 'client or process fault';
  readonly hazard: string;
  readonly happens: string;
  readonly shownBy: Evidence;
}

/** Tests, each a file and a part of a title in it; or the npm script that shows it; or the reason why there is no test. */
export type Evidence =
  | readonly (readonly [file: string, title: string])[]
  | { readonly script: string }
  | { readonly noTest: string };

export const guards: readonly Guard[] = [
  {
    kind: 'guarantee',
    hazard: 'A token reaches another host',
    happens: 'A token is sent to `DATASET_SERVICE_URL` and nowhere else',
    shownBy: [
      ['test/rest/wire-token.test.ts', 'follows no redirect'],
      ['test/rest/upstream-connections.test.ts', 'another host gets nothing, and no token'],
    ],
  },
  {
    kind: 'guarantee',
    hazard: 'A token is in a response, a trace, the log or the output',
    happens:
      'No response, trace, log line or output contains a token. The exception is a URL that the client requested with its token in it, where the operator allows that',
    shownBy: [['test/programs/secrets.test.ts', 'by any operation in any case']],
  },
  {
    kind: 'guarantee',
    hazard: 'An error or the log tells about the REST service',
    happens: 'No error and no log line contains the address of the REST service or the text of its errors',
    shownBy: [['test/programs/secrets.test.ts', 'by any operation in any case']],
  },
  {
    kind: 'guarantee',
    hazard: 'An id is in the log',
    happens: 'The log contains no ids',
    shownBy: [['test/programs/secrets.test.ts', 'by any operation in any case']],
  },
  {
    kind: 'guarantee',
    hazard: "One client gets what is another's",
    happens: 'Nothing of one client reaches another',
    shownBy: [
      ['test/large/secrets-clients.test.ts', 'their own responses and nothing of each other'],
      ['test/rest/wire-token.test.ts', '3.7 Nothing is shared between clients'],
    ],
  },
  {
    kind: 'guarantee',
    hazard: "A client's input changes where a call goes",
    happens: 'No id, filter or token changes the path, the host or the headers of a call',
    shownBy: [['test/rest/wire-path.test.ts', '3.8 The path parameter is encoded']],
  },
  {
    kind: 'guarantee',
    hazard: 'A failed start prints a secret',
    happens: 'A failed start prints no secret',
    shownBy: [['test/programs/secrets.test.ts', 'by a start that fails']],
  },
  {
    kind: 'guarantee',
    hazard: 'A login prints a secret',
    happens: 'A login prints neither e-mail nor password. Of the response it prints the token only',
    shownBy: [
      ['test/programs/secrets.test.ts', 'by a login'],
      ['test/programs/login.test.ts', 'asks for both, shows no password'],
    ],
  },
  {
    kind: 'guarantee',
    hazard: 'A bug prints its message',
    happens: 'A bug of this program is masked. The log has its name and location, and not its message',
    shownBy: [['test/programs/secrets-log.test.ts', 'is masked, and logged by its name and place']],
  },
  {
    kind: 'guarantee',
    hazard: 'The environment switches a guard off',
    happens: 'None of this depends on `NODE_ENV`',
    shownBy: [['test/programs/secrets.test.ts', 'What never leaks, with NODE_ENV=%s']],
  },
  {
    kind: 'guarantee',
    hazard: 'One operation costs as much as its client likes',
    happens:
      'The cost of one operation is bounded by the rows of the kind `limit`. A test multiplies all that writes bytes over bodies that are as bad as they can be',
    shownBy: [
      ['test/graphql/limits-operations.test.ts', 'Limits on what an operation asks for'],
      ['test/large/hostile.test.ts', 'cost no more than an operation may'],
    ],
  },
  {
    kind: 'guarantee',
    hazard: 'A request stops or blocks the process',
    happens: 'No request stops the process, or blocks it for long',
    shownBy: [
      [
        'test/programs/hostile-requests.test.ts',
        'of each bad kind are answered, with short errors, and the process goes on',
      ],
      ['test/large/hostile.test.ts', 'cost no more than an operation may'],
      ['test/large/hostile-files.test.ts', 'a file keeps nobody waiting'],
    ],
  },
  {
    kind: 'guarantee',
    hazard: 'A limit stops an honest operation',
    happens: 'No limit stops an honest operation',
    shownBy: [
      ['test/large/honest.test.ts', 'have honest pages'],
      ['test/large/honest.test.ts', 'serve the recipe'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'request body',
    happens: '1 MB (1,048,576 bytes), as received and decoded; 413 `PAYLOAD_TOO_LARGE`',
    shownBy: [
      ['test/server/http.test.ts', 'may not be a byte larger'],
      ['test/server/request-coding.test.ts', 'may have 1 MB when decoded, and not a byte more'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'request headers',
    happens: '16 kB, the default of Node.js; 431 `REQUEST_HEADERS_TOO_LARGE`',
    shownBy: [['test/server/http.test.ts', 'has room for headers of nearly 16 kB']],
  },
  {
    kind: 'limit',
    hazard: 'dataset id, asset id',
    happens: '200 characters; `BAD_USER_INPUT`',
    shownBy: [['test/rest/wire-path.test.ts', 'one of 201 characters']],
  },
  {
    kind: 'limit',
    hazard: 'token',
    happens: '8000 visible ASCII characters; `UNAUTHENTICATED`',
    shownBy: [['test/rest/wire-token.test.ts', '8001 characters']],
  },
  {
    kind: 'limit',
    hazard: 'REST calls of one operation',
    happens: '`UPSTREAM_MAX_CALLS`; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/loaders/calls.test.ts', '3.4 UPSTREAM_MAX_CALLS']],
  },
  {
    kind: 'limit',
    hazard: 'a REST response, encoded and decoded',
    happens: '`UPSTREAM_MAX_BYTES`; `UPSTREAM_RESPONSE_TOO_LARGE`',
    shownBy: [['test/rest/upstream-connections.test.ts', 'The size of a response, in bytes']],
  },
  {
    kind: 'limit',
    hazard: 'a metadata response, which is decoded at once',
    happens: '4 MB (4,194,304 bytes), or `UPSTREAM_MAX_BYTES` if that is less; `UPSTREAM_RESPONSE_TOO_LARGE`',
    shownBy: [['test/rest/upstream-connections.test.ts', 'has a limit of its own']],
  },
  {
    kind: 'limit',
    hazard: 'asset ids in one REST call',
    happens: '`ASSET_IDS_PER_CALL`; further calls take the rest',
    shownBy: [['test/loaders/merging-calls.test.ts', 'ASSET_IDS_PER_CALL']],
  },
  {
    kind: 'limit',
    hazard: 'REST responses in memory and what is built from them, for one operation and for all',
    happens: '`MEMORY_BUDGET`; further ones wait; `UPSTREAM_RESPONSE_TOO_LARGE`, `UPSTREAM_UNAVAILABLE`',
    shownBy: [['test/rest/memory-budget.test.ts', '3.33 MEMORY_BUDGET']],
  },
  {
    kind: 'limit',
    hazard: 'calls that wait for a socket',
    happens: '`UPSTREAM_QUEUE`; `UPSTREAM_UNAVAILABLE`',
    shownBy: [['test/rest/queue.test.ts', 'UPSTREAM_QUEUE']],
  },
  {
    kind: 'limit',
    hazard: 'sockets of one operation, and of all results calls together',
    happens: 'three quarters of the pool',
    shownBy: [['test/rest/queue.test.ts', 'leave room for a small one']],
  },
  {
    kind: 'limit',
    hazard: 'bytes read of an error body',
    happens: '64 kB',
    shownBy: [['test/rest/labels.test.ts', 'the first 64 kB of the body']],
  },
  {
    kind: 'limit',
    hazard: 'cache of parsed documents',
    happens: '30 MB, the default of Apollo Server; it holds nothing of a client',
    shownBy: { script: 'soak' },
  },
  {
    kind: 'limit',
    hazard: 'documents that skip the pipeline of Apollo Server',
    happens:
      '256 MB with what is compiled for them, or an eighth of a smaller heap, and 64 kB of values of `Accept`; nothing of a client',
    shownBy: [['test/graphql/segmented-cache.test.ts', 'never exceeds its limit']],
  },
  {
    kind: 'limit',
    hazard: 'responses that are kept',
    happens: 'none unless `CACHE` is set; then `CACHE_MAX_BYTES`',
    shownBy: [
      ['test/rest/cache-limits.test.ts', 'is never exceeded: what was not used for the longest time goes first'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'memory kept for the next large response',
    happens: '160 MB for 10 s, and no more than `MEMORY_BUDGET` has left',
    shownBy: [
      ['test/core/response-memory.test.ts', 'is given back to the system when nothing else happens'],
      ['test/rest/memory-budget.test.ts', 'has no memory of earlier responses beside it'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'tokens of a document',
    happens: '`MAX_DOCUMENT_TOKENS`; 400 `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-documents.test.ts', '10000 tokens, and no more']],
  },
  {
    kind: 'limit',
    hazard: 'lines of a document',
    happens: '`MAX_DOCUMENT_TOKENS`; 400 `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [
      ['test/graphql/limits-documents.test.ts', '10000 lines, and no more, also of a document that is not valid'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'nesting of selections and fragments',
    happens: '30 levels; 400 `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [
      ['test/graphql/limits-documents.test.ts', 'a fragment is looked at once, however often it comes to be spread'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'aliases of an operation; those of a fragment count at each spread',
    happens: '`MAX_ALIASES`; 400 `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-documents.test.ts', '500 aliases, and no more']],
  },
  {
    kind: 'limit',
    hazard: 'root fields',
    happens: '100; 400 `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-documents.test.ts', '100 fields on the root, in fragments too, and no more']],
  },
  {
    kind: 'limit',
    hazard: 'datasets in an operation',
    happens: '1000; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-operations.test.ts', '1000 datasets, and no more']],
  },
  {
    kind: 'limit',
    hazard: 'entity references in an operation',
    happens: '`MAX_REPRESENTATIONS`; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-operations.test.ts', '5000 representations, and no more']],
  },
  {
    kind: 'limit',
    hazard: 'asset ids in all filters of an operation',
    happens: '10,000; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-operations.test.ts', '10000 asset ids in all filters together, and no more']],
  },
  {
    kind: 'limit',
    hazard: 'results and series of an operation; different time ranges among them',
    happens: '5000; 100; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [
      ['test/graphql/limits-operations.test.ts', '5000 series, and no more'],
      ['test/graphql/limits-operations.test.ts', '100 different time ranges, and no more'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'fields of a document with its fragments expanded',
    happens: '`MAX_DOCUMENT_TOKENS`; 400 `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-fields.test.ts', '10000 fields with fragments put in, and no more']],
  },
  {
    kind: 'limit',
    hazard: 'work of an operation: bytes of results, fields on objects of lists, long texts selected again',
    happens: '`MAX_OPERATION_WORK`; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [
      ['test/graphql/limits-fields.test.ts', '107374 fields on the objects of lists, and no more'],
      ['test/graphql/limits-work.test.ts', 'MAX_OPERATION_WORK bytes of results'],
      ['test/graphql/limits-work.test.ts', 'long texts of the service count as often as they are selected'],
      ['test/graphql/worst-documents.test.ts', 'gets no more than MAX_OPERATION_WORK allows, and 1000 errors'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'metric names in one argument',
    happens: '1000; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-fields.test.ts', '1000 metric names in a list, and no more']],
  },
  {
    kind: 'limit',
    hazard: 'compiled selections',
    happens:
      'part of the known documents, for each combination of conditions; they hold no value of a variable but those of `@skip` and `@include`',
    shownBy: [
      ['test/graphql/limits-fields.test.ts', 'fields count under the conditions of each request'],
      ['test/core/response-memory.test.ts', 'is not kept by what is compiled for a document'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'a string of results; columns of metrics of a `WIDE` file',
    happens: '2 MB; 10,000, as Parquet or Arrow 1000; `UPSTREAM_INVALID_RESPONSE`; `UPSTREAM_RESPONSE_TOO_LARGE`',
    shownBy: [
      ['test/results/long-texts.test.ts', 'is as long as it may be'],
      ['test/downloads/results-files-long-rows.test.ts', 'columns of metrics, and no more'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'a file of results',
    happens:
      'none: it is written as fast as its client takes it, for one of `MAX_DOWNLOADS`, and what is not taken is not made',
    shownBy: [
      ['test/large/hostile-files.test.ts', 'a file keeps nobody waiting'],
      ['test/server/slow-clients.test.ts', 'of a file is cut off, too'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'rows that are selected again and made into objects',
    happens: '1,000,000; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-work.test.ts', 'a million rows selected again']],
  },
  {
    kind: 'limit',
    hazard: 'errors in a response',
    happens: '1000, and one more that counts those omitted; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-errors.test.ts', '1000 errors in a response']],
  },
  {
    kind: 'limit',
    hazard: 'time in which a client reads less than 16 kB a second of its response or file',
    happens: '`OPERATION_TIMEOUT_MS` and a second; its connection is reset',
    shownBy: [
      ['test/server/slow-clients.test.ts', 'is cut off, and its place is free again'],
      ['test/server/slow-clients.test.ts', 'of a file is cut off, too'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'inline trace',
    happens: 'none unless `FEDERATED_TRACING=on`; then 10,000 fields and 100 errors; the trace is cut off',
    shownBy: [
      ['test/graphql/federated-tracing.test.ts', 'has of %s'],
      ['test/graphql/federated-tracing.test.ts', 'has of %i errors %i, masked'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'selections of the SDL in an operation',
    happens: '5; `REQUEST_LIMIT_EXCEEDED`',
    shownBy: [['test/graphql/limits-operations.test.ts', 'the SDL of the schema five times, and no more']],
  },
  {
    kind: 'limit',
    hazard: 'pipelined requests on one connection',
    happens: 'one starts in each turn of the event loop; they wait',
    shownBy: [['test/server/pipelining.test.ts', 'take turns with the event loop']],
  },
  {
    kind: 'limit',
    hazard: 'request bodies of 64 kB or more in all operations, decoded; those that wait to be decoded and parsed',
    happens: '64 kB for each of `MAX_OPERATIONS`; half of `MAX_OPERATIONS`; 503 `OVERLOADED`',
    shownBy: [
      ['test/server/long-bodies.test.ts', 'have at most 64 kB for each of MAX_OPERATIONS'],
      ['test/server/long-bodies.test.ts', 'wait until they are decoded, half as many as MAX_OPERATIONS'],
      ['test/programs/long-bodies.test.ts', 'fit into memory, are answered in their order'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'request bodies that have not arrived completely',
    happens:
      '1 MB for each of `MAX_CONNECTIONS` (2 GB), outside of `MEMORY_BUDGET`, for `REQUEST_TIMEOUT_MS`. They get 408 then',
    shownBy: { noTest: 'the product of two limits that have theirs, `MAX_CONNECTIONS` and the request body' },
  },
  {
    kind: 'limit',
    hazard: 'concurrent operations',
    happens: '`MAX_OPERATIONS`; 503 `OVERLOADED`',
    shownBy: [
      ['test/server/overload.test.ts', 'operations run at the same time, and no more'],
      [
        'test/server/overload.test.ts',
        'at ten times as many requests those accepted are answered as soon as the service answers',
      ],
    ],
  },
  {
    kind: 'limit',
    hazard: 'client connections',
    happens: '`MAX_CONNECTIONS`; an idle one is closed for the new one; while all are in use, 503 `OVERLOADED`',
    shownBy: [
      ['test/server/connections.test.ts', 'while all of them have a request a further one is refused'],
      ['test/server/connections.test.ts', 'keep neither health checks nor requests out'],
    ],
  },
  {
    kind: 'limit',
    hazard: 'time for a request to arrive, with 10 s for its headers',
    happens: '`REQUEST_TIMEOUT_MS`; 408 `REQUEST_TIMEOUT`',
    shownBy: [['test/server/overload.test.ts', 'hundreds of slow heads and bodies do not hurt others']],
  },
  {
    kind: 'request',
    hazard:
      'A dataset id `..`, `.` or empty moves the call, with the token, to another endpoint. Percent-encoding alone does not prevent it',
    happens: 'rejected before a URL is built, without a call',
    shownBy: [['test/rest/wire-path.test.ts', 'two dots']],
  },
  {
    kind: 'request',
    hazard: '`/`, `?`, `#`, `\\`, `//host`, `%2e%2e`, `%2f`, NUL in an id',
    happens:
      'encoded exactly once (`%2e%2e` becomes `%252e%252e`); control characters are rejected. `/` and `\\` pass encoded, because the specification allows any text as path parameter',
    shownBy: [['test/rest/wire-path.test.ts', 'so that no text changes the path']],
  },
  {
    kind: 'request',
    hazard: 'A lone surrogate in an id: `encodeURIComponent` throws, `fetch` replaces it',
    happens: 'rejected as `BAD_USER_INPUT`',
    shownBy: [['test/rest/wire-path.test.ts', 'the first half of a surrogate pair']],
  },
  {
    kind: 'request',
    hazard: 'HTTP clients treat paths differently: some resolve dot segments, some do not',
    happens:
      "the path is checked before it reaches a client; the only client is undici's pool, which sends it unchanged",
    shownBy: [['test/rest/wire-path.test.ts', 'so that no text changes the path']],
  },
  {
    kind: 'request',
    hazard: 'A line break in an id or a token becomes a header',
    happens: 'ids are encoded; a token has visible ASCII characters only',
    shownBy: [['test/rest/wire-token.test.ts', 'is not usable with a control character']],
  },
  {
    kind: 'request',
    hazard: 'A representation without its key, with a key of another type, or of an unknown type',
    happens:
      'each is null with its own error and does not affect the others; an unknown type fails validation of the list, in the federation library',
    shownBy: [['test/graphql/entities.test.ts', '3.13 Entities']],
  },
  {
    kind: 'request',
    hazard: 'A flood of aliases, each a REST call',
    happens:
      'one metadata call for each distinct dataset, one results call for identical filters; `UPSTREAM_MAX_CALLS`; a limit of aliases',
    shownBy: [
      ['test/loaders/merging-calls.test.ts', 'makes one GET and one POST for a dataset under twenty aliases'],
      ['test/graphql/limits-documents.test.ts', '500 aliases, and no more'],
    ],
  },
  {
    kind: 'request',
    hazard: 'Documents that are expensive to validate: repeated fields, fragments in fragments, deep nesting',
    happens:
      'limits of tokens (counted by the parser), levels, aliases and root fields before validation; each fragment is visited once',
    shownBy: [
      ['test/graphql/limits-documents.test.ts', 'a fragment is looked at once, however often it comes to be spread'],
    ],
  },
  {
    kind: 'request',
    hazard:
      'Errors that are expensive to make: graphql-js counts the lines before each of them, and makes one for each invalid value of a variable',
    happens: 'the limit of lines, before validation; 1000 errors in a response, and 50 errors of variables',
    shownBy: [
      ['test/graphql/limits-documents.test.ts', '10000 lines, and no more, also of a document that is not valid'],
      [
        'test/graphql/limits-errors.test.ts',
        'a known document makes no more errors of its variables than the response has',
      ],
    ],
  },
  {
    kind: 'request',
    hazard: 'Many small encoded bodies, each of which is a MB of nested lists and takes fourteen when it is parsed',
    happens:
      'they are decoded and parsed a few at a time, in turns of the event loop, and all operations share a limit of bytes',
    shownBy: [
      ['test/programs/long-bodies.test.ts', 'fit into memory, are answered in their order'],
      ['test/server/long-bodies.test.ts', 'free what they hold when their connection is reset'],
      ['test/server/long-bodies.test.ts', 'of a connection that is reset leave their places to others'],
    ],
  },
  {
    kind: 'request',
    hazard: 'A body that is too large, a decompression bomb, or one encoded twice',
    happens:
      '1 MB as received and 1 MB decoded, where decoding stops; one coding only; Zstandard with a window of 8 MB at most',
    shownBy: [
      ['test/server/http.test.ts', '3.20 Bodies of POST /graphql'],
      ['test/server/request-coding.test.ts', 'are no bombs'],
      ['test/server/request-coding.test.ts', 'need no window of more than 8 MB'],
    ],
  },
  {
    kind: 'request',
    hazard: 'Another charset, `text/plain`, a list of operations, a query by GET',
    happens:
      'rejected: only JSON in UTF-8 by POST is accepted, and GET only with a header that CSRF prevention requires',
    shownBy: [['test/server/http.test.ts', '3.20 GET /graphql']],
  },
  {
    kind: 'request',
    hazard: 'Numbers above 2^53, fractions, strings instead of numbers',
    happens: 'exact from strings and literals; everything else is rejected',
    shownBy: [['test/graphql/numbers-dates.test.ts', '3.18 EpochMillis']],
  },
  {
    kind: 'request',
    hazard: '`__proto__` and `constructor` as keys',
    happens: 'rejected in requests; REST responses are decoded field by field, and nothing is merged into objects',
    shownBy: [
      ['test/server/http.test.ts', 'a __proto__ key'],
      ['test/results/odd-data.test.ts', 'also those that are names of JavaScript'],
    ],
  },
  {
    kind: 'request',
    hazard: 'The schema is exposed: introspection, suggestions, `_service`',
    happens: '`INTROSPECTION=off` hides the first two; `_service` stays open for routers; `ROUTER_SECRET` closes all',
    shownBy: [
      ['test/rest/gaps.test.ts', '5 Gap: _service'],
      ['test/server/router-secret.test.ts', 'refuses a request with %s, without a call'],
    ],
  },
  {
    kind: 'request',
    hazard: 'Catastrophic backtracking of a regular expression',
    happens: 'lengths are bounded before any pattern runs; no pattern has nested quantifiers',
    shownBy: [
      ['test/rest/gaps.test.ts', 'suggestions are taken out in no time'],
      ['test/graphql/fuzz.test.ts', 'GraphQL documents, variables, and what the service answers'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'The service never responds, or sends byte by byte',
    happens: 'timeouts for the connection, for the headers, and for the whole operation',
    shownBy: [['test/rest/upstream-faults.test.ts', 'sends the body drop by drop']],
  },
  {
    kind: 'REST call',
    hazard: 'The connection is reset, closed or refused',
    happens: "one code, `UPSTREAM_UNAVAILABLE`; the system's code goes into the log only",
    shownBy: [['test/rest/upstream-faults.test.ts', 'resets the connection']],
  },
  {
    kind: 'REST call',
    hazard: 'Retries pile up on a service that is down',
    happens:
      'one retry, of metadata calls only, after a random delay, for at most one in eleven calls; and one on each connection that the service had just closed; then a circuit breaker',
    shownBy: [
      ['test/rest/retries.test.ts', 'A GET that failed is repeated once'],
      ['test/rest/outage-recovery.test.ts', 'stays within a tenth more calls than requests'],
    ],
  },
  {
    kind: 'REST call',
    hazard: "A library's retries hide the response, or repeat a call that must not be repeated",
    happens: 'not used; the subgraph has its own retry, ten lines that keep the error of the last response',
    shownBy: [['test/rest/retries.test.ts', 'and no more than once']],
  },
  {
    kind: 'REST call',
    hazard: 'A `Retry-After` of an hour, of years, or invalid',
    happens: 'never waited for; the client gets it if it is within a day',
    shownBy: [['test/rest/upstream-faults.test.ts', 'asks to wait for years']],
  },
  {
    kind: 'REST call',
    hazard: 'An interrupted download is resumed with other bytes',
    happens:
      'no ranges are requested, and the response says that it has none; a file that ends short breaks the connection',
    shownBy: [['test/server/download-body.test.ts', '3.35 The body of a download']],
  },
  {
    kind: 'REST call',
    hazard: 'A download link is forged, altered or used for ever',
    happens:
      'it is encrypted and authenticated, and expires after `DOWNLOAD_TICKET_SECONDS`; the error does not say what is wrong with it',
    shownBy: [['test/downloads/tickets.test.ts', '3.34']],
  },
  {
    kind: 'REST call',
    hazard: 'A download link is passed on',
    happens:
      "anyone who has it gets that file until it expires, by design. It is in no log of the subgraph. It can be in a browser's history and in the logs of proxies",
    shownBy: [['test/programs/secrets.test.ts', '3.22']],
  },
  {
    kind: 'REST call',
    hazard: 'A link to results opens other results, or another file',
    happens:
      "a ticket holds its dataset and filter, and is of one kind: neither opens the other's path; without a ticket the token and the router's secret are needed",
    shownBy: [
      ['test/downloads/results-files-errors.test.ts', 'without a header, the path must end with a ticket for results'],
      ['test/downloads/results-files-errors.test.ts', 'with the secret of a router, need it unless they have a ticket'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'A file of results is short or wrong, and looks whole',
    happens:
      'whatever would be an error in a GraphQL response ends the file, and breaks the connection after the first bytes; for HTTP/1.0 by a reset; no error of another request gets into it',
    shownBy: [
      ['test/server/broken-files.test.ts', '3.35 A file of unknown length for a client that speaks HTTP/1.0'],
      ['test/server/broken-files.test.ts', 'breaks a response off that has begun'],
      ['test/downloads/results-files-errors.test.ts', 'break off where results %s after the first bytes'],
      ['test/downloads/results-files-random.test.ts', 'has exactly their rows, or is an error'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'A text of the service is a formula in a spreadsheet',
    happens:
      "an apostrophe precedes it in `CSV_SPREADSHEET`, in `ask --csv` and in the explorer's CSV; `CSV` is for programs, and has text unchanged",
    shownBy: [
      ['test/downloads/results-files-spreadsheets.test.ts', 'a text that a spreadsheet would take for a formula'],
      ['ask/test/cli-computed.test.ts', 'guards CSV against formulas'],
      ['explorer/test/response-data.test.ts', 'texts that a spreadsheet would take for formulas'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'The name or type of a file does harm: a path, a header, a page on this origin',
    happens: 'always downloaded and never displayed; names are sanitised; only a well-formed type is passed on',
    shownBy: [['test/server/download-route.test.ts', '3.35']],
  },
  {
    kind: 'REST call',
    hazard: 'A decompression bomb; nested encodings; bytes that decode to nothing',
    happens: 'decoded and received bytes are both counted as they arrive; one encoding only',
    shownBy: [['test/rest/upstream-faults.test.ts', 'sends a bomb of gzip']],
  },
  {
    kind: 'REST call',
    hazard: 'Large but valid responses block the process',
    happens:
      'responses are read and written in time slices of about a millisecond, odd ones too (`npm run bench` measures the longest block for odd bodies, and metadata during a large response); completing objects in GraphQL execution yields too',
    shownBy: [['test/large/fast-path-yielding.test.ts', 'lets others have their responses while it']],
  },
  {
    kind: 'REST call',
    hazard: 'Responses of the wrong shape: HTML, nothing, truncated JSON, other types, unknown values',
    happens: 'decoded leniently where the specification is open, and strictly by type; nothing of them is quoted',
    shownBy: [
      ['test/results/odd-data.test.ts', '3.17 Missing and odd data'],
      ['test/rest/upstream-faults.test.ts', 'sends HTML with 200'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'Error statuses, listed and unlisted, with any body',
    happens: 'the status decides; each has one code',
    shownBy: [['test/rest/errors.test.ts', '4 Errors: %s']],
  },
  {
    kind: 'REST call',
    hazard: 'Redirects, which take the token along',
    happens: 'not followed',
    shownBy: [['test/rest/upstream-connections.test.ts', 'another host gets nothing, and no token']],
  },
  {
    kind: 'REST call',
    hazard: 'A client chooses the host that is called',
    happens: 'host and port come from settings alone, which are checked',
    shownBy: [['test/programs/config.test.ts', 'refuses bad %s with one sentence']],
  },
  {
    kind: 'REST call',
    hazard: 'One slow service fills all queues',
    happens:
      'a bounded number of sockets, a bounded queue, and a circuit breaker for each REST operation; error statuses other than 502, 503 and 504 never open it, nor do clients that disconnect',
    shownBy: [
      ['test/rest/queue.test.ts', 'one more is refused at once'],
      ['test/rest/outage.test.ts', 'is asked after any number of clients have left'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'One client fills the queues, or opens the circuit for others',
    happens:
      'operations are served in turn, and each has a share of the sockets; the one with most waiting calls loses a call; failures of one operation or one token alone open no circuit for others. The breaker forgets its salted digest of a token with the next call after ten seconds',
    shownBy: [
      ['test/rest/queue.test.ts', 'are taken in turn from operations'],
      ['test/rest/outage.test.ts', '3.31 A service that is down for some clients'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'Many large responses at once, or one operation with many of them, exhaust the memory',
    happens: 'a budget for all of them; they wait for it unread, in the order of their operations',
    shownBy: [
      ['test/rest/memory-budget.test.ts', 'come one after the other, all of them'],
      ['test/rest/memory-budget.test.ts', 'counts for its whole operation'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'Responses get mixed up between clients',
    happens:
      'requests of different tokens share no cached response and no call: the key in the cache is an HMAC of the token and the call; a buffer is reused only after its last response is written',
    shownBy: [
      ['test/large/secrets-clients.test.ts', 'their own responses and nothing of each other'],
      ['test/core/response-memory.test.ts', 'never has two owners'],
      ['test/rest/cache-random.test.ts', 'A response is one that a call of the same token got in time'],
      ['test/redis/random.test.ts', 'A response is one that a call of the same token got in time'],
      ['test/rest/cache-memory.test.ts', 'is not used by others while anybody reads it'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'Someone reads or writes what is kept in Redis',
    happens:
      'values are encrypted with AES-256-GCM under `CACHE_SECRET` and the token, names are HMACs, and each value is bound to its name and to the epoch of its token',
    shownBy: [
      ['test/redis/secrets.test.ts', 'finds there no token, no id, no value and no secret'],
      ['test/redis/faults.test.ts', 'are not used: %s'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'A Redis that fails takes the subgraph with it',
    happens: '40 ms for a read, then pauses; what waits to be written has at most 64 MB, or one body',
    shownBy: [
      ['test/redis/faults.test.ts', 'Without Redis, responses come from the service'],
      ['test/redis/peers.test.ts', 'delays nothing: it %s'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'A client reads from the cache what it may no longer read',
    happens:
      "the first 401 drops everything of its token, and the first 403 everything of its dataset; until then `CACHE_METADATA_SECONDS` and `CACHE_RESULTS_SECONDS`, and never beyond the token's `exp`",
    shownBy: [
      ['test/rest/cache.test.ts', 'make a call again after a 401 to another read of the same token'],
      ['test/rest/cache.test.ts', 'make a call again after a 403'],
      ['test/rest/cache.test.ts', 'are not served beyond the life of %s'],
      ['test/redis/shared.test.ts', 'drop what a token has read after a 401 at one of them'],
      ['test/redis/shared.test.ts', 'drop what a token has read of a dataset after a 403'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'A cache before the subgraph keeps a response for another client, or a secret',
    happens:
      '`no-store`, unless an operator allows a time; then `private` and `Vary: Authorization`, and still `no-store` with a ticket, a token or an error',
    shownBy: [
      ['test/server/router-cache.test.ts', 'allow nothing where %s'],
      ['test/server/router-cache.test.ts', 'allow nothing with an error %s'],
    ],
  },
  {
    kind: 'REST call',
    hazard: 'A second response on a kept connection is taken for the next one',
    happens: 'one request at a time on a connection; unrequested bytes close it',
    shownBy: [['test/rest/upstream-connections.test.ts', 'bytes that nobody has asked for are nobody’s response']],
  },
  {
    kind: 'REST call',
    hazard: 'A certificate that is unknown, expired or for another name',
    happens: 'no request is sent',
    shownBy: [['test/programs/tls.test.ts', 'is called with a certificate that can be trusted, and with no other']],
  },
  {
    kind: 'secret',
    hazard: 'A token in a URL',
    happens: 'by default it is in the header; in a URL only if operator and client both ask for it; never both at once',
    shownBy: [
      ['test/graphql/downloads.test.ts', 'work with the header or with the query, never both'],
      ['test/rest/gaps.test.ts', 'sends the header by default, and never both'],
    ],
  },
  {
    kind: 'secret',
    hazard: 'A token in messages, causes, traces, stacks',
    happens:
      'one error mapper with messages of its own; no traces unless `FEDERATED_TRACING=on`, with masked messages; no stack in a response',
    shownBy: [
      ['test/programs/secrets-log.test.ts', 'tells of the fields, and of no error'],
      ['test/server/errors-http-status.test.ts', 'no stack traces, whatever NODE_ENV says'],
    ],
  },
  {
    kind: 'secret',
    hazard: 'An error quotes ids, or text from the service',
    happens:
      "REST errors have fixed messages. GraphQL's own errors quote client input to that client alone, never to the log",
    shownBy: [['test/programs/secrets.test.ts', 'by any operation in any case']],
  },
  {
    kind: 'secret',
    hazard: 'The list of REST calls that a request asks for tells about the REST service',
    happens:
      'only where an explorer is on; it has no URL, token or text of the service, and no ids but those of datasets',
    shownBy: [
      ['test/graphql/rest-calls.test.ts', 'have no token, no URL and no id of an asset'],
      ['test/graphql/rest-calls.test.ts', 'are not in the response if %s'],
    ],
  },
  {
    kind: 'secret',
    hazard: 'A token of one client on a connection of another',
    happens: 'connections carry no client state: each call sends its own header',
    shownBy: [['test/rest/upstream-connections.test.ts', 'two clients at once never get each other’s responses']],
  },
  {
    kind: 'secret',
    hazard: 'The pages send an e-mail address and a password',
    happens:
      'they go to `AUTH_SERVICE_URL` and nowhere else; the response has the token, or an error without either, and is in no cache; the page keeps the token for the tab only',
    shownBy: [
      ['test/server/login-route.test.ts', 'gives the token, and the login service nothing but the account'],
      ['test/server/login-route.test.ts', 'says so where the response %s, and no more'],
      ['explorer/test/sign-in.test.ts', 'keeps the token for the tab alone, and signing out forgets it'],
    ],
  },
  {
    kind: 'request',
    hazard: 'Another site tries passwords at the login of the pages',
    happens: '403 before the body is read: browsers say which page sends a request',
    shownBy: [['test/server/login-route.test.ts', 'is refused: from %s']],
  },
  {
    kind: 'secret',
    hazard: 'No token',
    happens: 'fields that need the service fail as `UNAUTHENTICATED` without a call; everything else works',
    shownBy: [['test/rest/wire-token.test.ts', 'behaves, where it is missing, as if the service had answered 401']],
  },
  {
    kind: 'secret',
    hazard: 'Two `Authorization` headers, of which Node.js shows the first',
    happens: 'rejected',
    shownBy: [['test/rest/wire-token.test.ts', 'two headers']],
  },
  {
    kind: 'secret',
    hazard: 'A setting with a secret is printed because it is invalid',
    happens:
      'values with `@`, `?` or `#`, `ROUTER_SECRET`, `DOWNLOAD_TICKET_SECRET`, `CACHE_SECRET` and `DATASET_TOKEN` are never printed',
    shownBy: [['test/programs/secrets.test.ts', 'by a start that fails']],
  },
  {
    kind: 'secret',
    hazard: 'A metric or a trace has a token, an id or an address',
    happens: 'labels and attributes are lists of the program; no URL, no document, no header of a client',
    shownBy: [
      ['test/telemetry/metrics-requests.test.ts', 'whatever they send: the names and labels stay the same'],
      ['test/telemetry/traces.test.ts', 'hold nothing of the request and of the service'],
    ],
  },
  {
    kind: 'secret',
    hazard: 'A client fills the memory with metrics',
    happens: 'no label has a value that a client can choose',
    shownBy: [
      [
        'test/telemetry/metrics-requests.test.ts',
        'have only values of labels that the specification of this project lists',
      ],
    ],
  },
  {
    kind: 'secret',
    hazard:
      'BREACH: someone who can choose a text of a response (an id, an alias, a value that another subgraph stores) and see the length of the encrypted response finds out a secret in it, because a text that repeats part of the secret is compressed better',
    happens:
      'a response with a ticket or with a URL that has the token is not compressed, and no other has a secret of the client; compression is off by default',
    shownBy: [
      ['test/server/compression-secrets.test.ts', 'is sent as it is'],
      ['test/server/compression-secrets.test.ts', 'is never compressed'],
    ],
  },
  {
    kind: 'secret',
    hazard: 'A timing attack on `ROUTER_SECRET`',
    happens: 'digests are compared in constant time',
    shownBy: { noTest: 'timing cannot be measured exactly enough here' },
  },
  {
    kind: 'server',
    hazard: 'Request smuggling: two lengths, a length and chunks, bare line feeds',
    happens: "Node's strict parser; rejected with JSON",
    shownBy: [['test/server/http.test.ts', '3.20 Requests that are no valid HTTP']],
  },
  {
    kind: 'server',
    hazard: 'Slow headers and bodies hold connections',
    happens:
      '10 s for the headers and `REQUEST_TIMEOUT_MS` for the whole request, then 408; a bounded number of connections, of which idle ones are closed for new ones',
    shownBy: [
      ['test/server/overload.test.ts', 'hundreds of slow heads and bodies do not hurt others'],
      ['test/server/connections.test.ts', 'keep neither health checks nor requests out'],
    ],
  },
  {
    kind: 'server',
    hazard: 'A stop loses work',
    happens:
      'readiness turns off first; accepted requests get their responses, and each response closes its connection; then operations end with a coded error',
    shownBy: [['test/programs/shutdown-load.test.ts', 'fails none of the requests on hundreds of open connections']],
  },
  {
    kind: 'server',
    hazard: 'Overload',
    happens:
      'a bounded number of operations; a further one gets 503 with `Retry-After` before its body is read; the health checks stay open',
    shownBy: [
      ['test/server/overload.test.ts', 'operations run at the same time, and no more'],
      [
        'test/server/overload.test.ts',
        'at ten times as many requests those accepted are answered as soon as the service answers',
      ],
    ],
  },
  {
    kind: 'server',
    hazard: 'Unexpected input',
    happens:
      'random documents, variables, requests and REST responses: none may cause an `INTERNAL_SERVER_ERROR`, a late response or an unhandled rejection',
    shownBy: [['test/graphql/fuzz.test.ts', '6 Random input']],
  },
  {
    kind: 'server',
    hazard: 'An unhandled rejection ends the process',
    happens: 'none occurs: the soak runs with `--unhandled-rejections=strict`, and fails on the first one',
    shownBy: [['test/soak/soak.test.ts', 'fails on an unhandled rejection']],
  },
  {
    kind: 'server',
    hazard: 'Sockets, timers or memory leak',
    happens: 'the soak compares resources at rest',
    shownBy: [['test/soak/soak.test.ts', 'fails when %s leak, and says so']],
  },
  {
    kind: 'server',
    hazard: 'A package is replaced, or old',
    happens:
      'exact versions, checksums in each lockfile, and minimum versions of five packages whose older ones had a vulnerability that would be one of this program. Nothing here finds new vulnerabilities: `npm audit` does',
    shownBy: [['test/project/dependencies.test.ts', 'are pinned to one version each, and locked with a checksum']],
  },
  {
    kind: 'service fault',
    hazard: 'no connection: refused, no such host',
    happens: '`UPSTREAM_UNAVAILABLE`, retryable (at once). Recovery: with the next call that succeeds',
    shownBy: [
      ['test/rest/errors-connections.test.ts', 'connection refused or broken'],
      ['test/programs/tls.test.ts', 'A host that cannot be found'],
    ],
  },
  {
    kind: 'service fault',
    hazard: 'an untrusted certificate',
    happens:
      '`UPSTREAM_UNAVAILABLE`; no request is sent (at once). Recovery: when the certificate is valid, or its authority is in `NODE_EXTRA_CA_CERTS`',
    shownBy: [['test/programs/tls.test.ts', 'is called with a certificate that can be trusted, and with no other']],
  },
  {
    kind: 'service fault',
    hazard: 'a TLS handshake that never ends',
    happens: '`UPSTREAM_TIMEOUT`, retryable (5 s). Recovery: with the next call',
    shownBy: [['test/programs/tls.test.ts', 'is not waited for longer than %s where it does not answer the handshake']],
  },
  {
    kind: 'service fault',
    hazard: 'no response',
    happens: '`UPSTREAM_TIMEOUT`, retryable (20 s). Recovery: with the next call',
    shownBy: [['test/rest/upstream-faults.test.ts', 'never answers']],
  },
  {
    kind: 'service fault',
    hazard: 'headers byte by byte',
    happens: '`UPSTREAM_TIMEOUT`, retryable (20 s). Recovery: with the next call',
    shownBy: [['test/rest/upstream-faults.test.ts', 'sends the head drop by drop']],
  },
  {
    kind: 'service fault',
    hazard: 'a body byte by byte, or one that never ends',
    happens: '`UPSTREAM_TIMEOUT`, retryable (28 s). Recovery: with the next call',
    shownBy: [['test/rest/upstream-faults.test.ts', 'sends the body drop by drop']],
  },
  {
    kind: 'service fault',
    hazard: 'the body of an error byte by byte',
    happens: 'the code of its status (28 s). Recovery: with the next call',
    shownBy: [['test/rest/upstream-faults.test.ts', 'sends the body of an error drop by drop']],
  },
  {
    kind: 'service fault',
    hazard: 'a reset or an end before the headers',
    happens:
      'for metadata one retry after 50 to 150 ms; on a reused connection one immediate retry for any call; then `UPSTREAM_UNAVAILABLE`, retryable (at once). Recovery: with the retry or the next call',
    shownBy: [
      ['test/rest/retries.test.ts', 'A GET that failed is repeated once'],
      ['test/rest/upstream-faults.test.ts', 'cuts the connection within the head'],
    ],
  },
  {
    kind: 'service fault',
    hazard: 'an end or a reset within the body',
    happens:
      '`UPSTREAM_UNAVAILABLE`, retryable; the subgraph does not retry it (at once). Recovery: with the next call',
    shownBy: [['test/rest/upstream-faults.test.ts', 'cuts the connection within the body']],
  },
  {
    kind: 'service fault',
    hazard: 'an end or a reset within results of more than 4 MB (`RESULTS_HOLD_BYTES`), after the response has begun',
    happens: "the client's connection breaks (at once). Recovery: with the next request",
    shownBy: [['test/large/broken-bodies.test.ts', 'never looks like a complete GraphQL response']],
  },
  {
    kind: 'service fault',
    hazard: 'a pause within results of more than 4 MB (`RESULTS_HOLD_BYTES`), after the response has begun',
    happens: "the client's connection breaks (20 s). Recovery: with the next request",
    shownBy: [['test/large/passing-bodies.test.ts', 'breaks when the service stalls']],
  },
  {
    kind: 'service fault',
    hazard: 'a longer body announced than sent',
    happens:
      '`UPSTREAM_UNAVAILABLE` at the end of the connection, or `UPSTREAM_TIMEOUT` (at once, or 28 s). Recovery: with the next call',
    shownBy: [['test/rest/upstream-faults.test.ts', 'announces a longer body than it sends, and waits']],
  },
  {
    kind: 'service fault',
    hazard: 'a shorter body announced than sent, two lengths, a length and chunks',
    happens: '`UPSTREAM_INVALID_RESPONSE` (at once). Recovery: with the next call; the connection is closed',
    shownBy: [['test/rest/upstream-faults.test.ts', 'announces a shorter body than it sends']],
  },
  {
    kind: 'service fault',
    hazard: 'a kept-alive connection that the service has closed',
    happens:
      'nothing: the call is retried; `UPSTREAM_UNAVAILABLE` only if a retry is not allowed (at once). Recovery: by itself',
    shownBy: [['test/rest/retries-connections.test.ts', 'A connection that the service has closed while it was idle']],
  },
  {
    kind: 'service fault',
    hazard: 'a connection that is closed behind a complete response, compressed or not',
    happens: 'nothing: the response is read. Recovery: by itself',
    shownBy: [
      ['test/rest/retries-connections.test.ts', 'A service that closes the connection behind a whole response'],
    ],
  },
  {
    kind: 'service fault',
    hazard: 'an unexpected `100 Continue`',
    happens:
      '`UPSTREAM_UNAVAILABLE`: the HTTP client takes it for a broken response (at once). Recovery: when the service, or a proxy before it, is fixed',
    shownBy: [['test/rest/upstream-faults.test.ts', 'says 100 Continue unasked']],
  },
  {
    kind: 'service fault',
    hazard: 'unexpected bytes on a kept-alive connection',
    happens: 'nothing: the connection is closed. Recovery: by itself',
    shownBy: [['test/rest/upstream-connections.test.ts', 'bytes that nobody has asked for are nobody’s response']],
  },
  {
    kind: 'service fault',
    hazard: 'a redirect',
    happens:
      '`UPSTREAM_INVALID_RESPONSE`; it is not followed (at once). Recovery: when the service, or `DATASET_SERVICE_URL`, is fixed',
    shownBy: [['test/rest/upstream-connections.test.ts', 'another host gets nothing, and no token']],
  },
  {
    kind: 'service fault',
    hazard: '200 with HTML, an empty body, or JSON that is truncated or too deep',
    happens: '`UPSTREAM_INVALID_RESPONSE` (at once). Recovery: with the next call',
    shownBy: [['test/rest/upstream-faults.test.ts', 'sends HTML with 200']],
  },
  {
    kind: 'service fault',
    hazard: '200 with fields of another type',
    happens:
      'these fields are null with `UPSTREAM_INVALID_RESPONSE`; the others have their data (at once). Recovery: with the next call',
    shownBy: [['test/results/odd-data.test.ts', '3.17 Missing and odd data']],
  },
  {
    kind: 'service fault',
    hazard: 'another content coding, or damaged data',
    happens: '`UPSTREAM_INVALID_RESPONSE` (at once). Recovery: with the next call',
    shownBy: [['test/rest/upstream-faults.test.ts', 'sends an encoding that was not asked for']],
  },
  {
    kind: 'service fault',
    hazard: 'a response larger than `UPSTREAM_MAX_BYTES`, announced, sent or decoded (a bomb)',
    happens:
      '`UPSTREAM_RESPONSE_TOO_LARGE` (as soon as it is known). Recovery: with the next call; at most that much memory is used',
    shownBy: [
      ['test/rest/upstream-faults.test.ts', 'sends a bomb of gzip'],
      ['test/core/response-memory.test.ts', 'is free again'],
    ],
  },
  {
    kind: 'service fault',
    hazard: '401',
    happens: '`UNAUTHENTICATED`; the dataset is null (at once). Recovery: with a new token',
    shownBy: [
      ['test/rest/errors.test.ts', '4 Errors: %s'],
      ['test/graphql/absence-datasets.test.ts', '3.11 A dataset that is not there'],
    ],
  },
  {
    kind: 'service fault',
    hazard: '403, 404, 405, 409, 400',
    happens:
      '`FORBIDDEN`, `NOT_FOUND`, `UPSTREAM_CONTRACT_ERROR`, `CONFLICT`, `BAD_USER_INPUT` or `UPSTREAM_REJECTED` (at once). Recovery: see docs/errors.md',
    shownBy: [['test/rest/errors.test.ts', '4 Errors: %s']],
  },
  {
    kind: 'service fault',
    hazard: '429, one or many',
    happens:
      '`RATE_LIMITED`, retryable, with `retryAfterMs` up to a day; the subgraph does not retry it (at once). Recovery: when the client retries later; the circuit breaker stays closed',
    shownBy: [
      ['test/rest/upstream-connections.test.ts', '4 Storms'],
      ['test/rest/outage.test.ts', 'A service that is not down'],
    ],
  },
  {
    kind: 'service fault',
    hazard: 'an absurd `Retry-After`',
    happens: '`RATE_LIMITED` without `retryAfterMs`; nothing waits (at once)',
    shownBy: [['test/rest/upstream-faults.test.ts', 'asks to wait for years']],
  },
  {
    kind: 'service fault',
    hazard: '502, 503, 504',
    happens:
      'as for a reset before the headers; not retried with a `Retry-After` (at once). Recovery: with the retry or the next call',
    shownBy: [['test/rest/retries.test.ts', 'after 503 with a Retry-After']],
  },
  {
    kind: 'service fault',
    hazard: '500 and other 5xx',
    happens: '`UPSTREAM_ERROR`; not retried (at once). Recovery: with the next call',
    shownBy: [['test/rest/errors.test.ts', '4 | other 5xx']],
  },
  {
    kind: 'service fault',
    hazard: 'metadata, or results, are down: of at least 20 calls in 10 s more than half have failed',
    happens:
      '`UPSTREAM_UNAVAILABLE`, retryable, without a call (at once). Recovery: every 5 s (`UPSTREAM_OUTAGE_MS`) one trial call is made; when it succeeds, the circuit closes. The log says when the circuit opens and closes',
    shownBy: [
      ['test/rest/outage-recovery.test.ts', 'a service that is down gets hardly more calls than requests'],
      ['test/rest/outage-recovery.test.ts', 'is tried by one call alone'],
    ],
  },
  {
    kind: 'service fault',
    hazard: 'calls fail for one client alone, or for one operation',
    happens: 'errors for that client; others are not affected. Recovery: by itself',
    shownBy: [['test/rest/outage.test.ts', 'is asked by the others, as long as their calls succeed']],
  },
  {
    kind: 'service fault',
    hazard: 'it is too slow for all the calls',
    happens:
      'up to `UPSTREAM_QUEUE` calls wait for a socket, and operations are served in turn; beyond that, the last call of the operation with the most waiting calls is `UPSTREAM_UNAVAILABLE`, and the message names the limit (at once). Recovery: when calls end',
    shownBy: [
      ['test/rest/queue.test.ts', 'one more is refused at once'],
      ['test/rest/queue.test.ts', 'are taken in turn from operations'],
    ],
  },
  {
    kind: 'service fault',
    hazard: 'more large responses at once than fit in `MEMORY_BUDGET`',
    happens:
      'they come one after the other; one that gets no memory in time is `UPSTREAM_UNAVAILABLE`, retryable, and the message names the limit; metadata is not affected (28 s at most). Recovery: when responses are written',
    shownBy: [
      ['test/rest/memory-budget.test.ts', 'come one after the other, all of them'],
      ['test/rest/memory-budget.test.ts', 'let metadata pass, on whatever sockets there are'],
    ],
  },
  {
    kind: 'service fault',
    hazard: 'all operations that hold memory wait for more',
    happens:
      'the youngest loses its further response: `UPSTREAM_UNAVAILABLE`; the others continue (at once). Recovery: by itself',
    shownBy: [['test/rest/memory-budget.test.ts', 'the youngest loses its further response, the others go on']],
  },
  {
    kind: 'service fault',
    hazard: 'a response larger than `MEMORY_BUDGET`, alone or with the others of its operation',
    happens: '`UPSTREAM_RESPONSE_TOO_LARGE` (as soon as it is known). Recovery: select less',
    shownBy: [['test/rest/memory-budget.test.ts', 'may be as large as all of it, and not a byte larger']],
  },
  {
    kind: 'service fault',
    hazard: 'Redis (`CACHE=redis://…`) is slow, full, restarted or gone',
    happens:
      'responses come without the cache; one warning in the log (at most 50 ms for a response, and after three failures only for one in a second). Recovery: by itself, within seconds',
    shownBy: [['test/redis/faults.test.ts', 'Without Redis, responses come from the service']],
  },
  {
    kind: 'service fault',
    hazard: 'merged calls return assets that were not requested',
    happens:
      'nothing: the parts are requested one by one, and calls of that dataset are not merged for five minutes; one warning in the log (one more call for each part). Recovery: by itself',
    shownBy: [['test/loaders/merging-unrequested.test.ts', '3.3 Merging is watched']],
  },
  {
    kind: 'service fault',
    hazard:
      'the response of another request, complete and in time, while a request is under way on the same connection',
    happens:
      'cannot be detected: HTTP/1.1 cannot tell these responses apart. The subgraph sends no request before the previous response has ended, so this takes a service that responds twice, and late',
    shownBy: { noTest: 'there is nothing to detect' },
  },
  {
    kind: 'client or process fault',
    hazard: 'a download fails at the service, or has 20 s of silence',
    happens:
      'the connection breaks: the client reports an incomplete file; before the first byte 502, 503 or 504 with a code (at once, or 20 s). Recovery: with the next download',
    shownBy: [
      ['test/server/download-body.test.ts', '3.35 The body of a download'],
      ['test/server/broken-files.test.ts', '3.35 A file of unknown length for a client that speaks HTTP/1.0'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'the client disconnects',
    happens:
      'its REST calls end within 100 ms, also those that wait for a socket or a retry; no more of a large response is written. Recovery: other clients are not affected',
    shownBy: [
      ['test/server/sending.test.ts', 'stops being written when the client leaves'],
      ['test/loaders/calls-disconnects.test.ts', 'ends them within 100 ms'],
      ['test/rest/queue.test.ts', 'leave at once when their clients do'],
      ['test/rest/retries.test.ts', 'the client can leave, and nothing is repeated'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'the client reads slowly',
    happens:
      'the subgraph writes no more than the client reads; a client that reads steadily gets the whole response, however long that takes',
    shownBy: [
      ['test/server/steady-clients.test.ts', 'gets all of it, though that takes longer than it may do nothing'],
      ['test/server/sending.test.ts', 'is written no faster than a slow client reads'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'the client does not read its response or its file, or reads less than 16 kB a second',
    happens:
      'its connection is reset, and its slot is free (29 s (`OPERATION_TIMEOUT_MS` and a second); while others wait for memory, 2 s below 1 MB a second). Recovery: with its next request',
    shownBy: [
      ['test/server/slow-clients.test.ts', 'is cut off, and its place is free again'],
      ['test/server/slow-clients.test.ts', 'of a file is cut off, too'],
      ['test/server/slow-clients.test.ts', 'is cut off after some seconds'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'an operation takes too long as a whole',
    happens:
      'ready fields have their data; the others are `UPSTREAM_TIMEOUT` (28 s). Recovery: with the next operation',
    shownBy: [
      ['test/rest/errors-connections.test.ts', '4 Errors: the time of several calls'],
      ['test/server/deadline.test.ts', 'comes after that of its REST calls, so that what is there is answered'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'an operation that still has no response then',
    happens: 'one error, no data (29 s). Recovery: with the next operation',
    shownBy: [['test/server/deadline.test.ts', 'ends whatever it waits for, with an error of ours']],
  },
  {
    kind: 'client or process fault',
    hazard: 'no `Host` header, or an unknown `Expect`',
    happens: '400 or 417, as JSON (at once). Recovery: the connection is closed',
    shownBy: [['test/server/deadline.test.ts', 'Requests that Node.js refuses by itself']],
  },
  {
    kind: 'client or process fault',
    hazard: 'more REST calls than an operation may make',
    happens:
      'the first datasets are complete; `REQUEST_LIMIT_EXCEEDED` at each field that needs a further one, and the message says how many datasets fit (at once). Recovery: split the operation',
    shownBy: [
      ['test/loaders/calls.test.ts', '3.4 UPSTREAM_MAX_CALLS'],
      ['test/loaders/calls-limit.test.ts', 'and of the 5000 references that a router may send'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'bytes that are not HTTP, or come too late',
    happens:
      '400, 408 or 431, as JSON; nothing more while an earlier response of the connection is incomplete (at once; headers have 10 s, a request 15 s (`REQUEST_TIMEOUT_MS`)). Recovery: the connection is closed',
    shownBy: [
      ['test/server/http.test.ts', '3.20 Requests that are no valid HTTP'],
      ['test/server/broken-files.test.ts', '3.20 Invalid HTTP behind a request'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'a document or an operation beyond a limit',
    happens:
      '`REQUEST_LIMIT_EXCEEDED`, and the message names the limit; with 400 if all of it is rejected (at once, before any call). Recovery: select less',
    shownBy: [['test/graphql/limits-documents.test.ts', '10000 tokens, and no more']],
  },
  {
    kind: 'client or process fault',
    hazard: 'more operations than `MAX_OPERATIONS`',
    happens:
      '503 `OVERLOADED` with `Retry-After`, as JSON; health checks are not affected (at once). Recovery: when operations end',
    shownBy: [
      ['test/server/overload.test.ts', 'operations run at the same time, and no more'],
      [
        'test/server/overload.test.ts',
        'at ten times as many requests those accepted are answered as soon as the service answers',
      ],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'more bodies of 64 kB or more, or encoded ones, than fit into memory',
    happens:
      'they wait for their turn; too many get 503 `OVERLOADED` with `Retry-After`. Shorter ones are not affected (at once). Recovery: when operations end',
    shownBy: [
      ['test/server/long-bodies.test.ts', 'have at most 64 kB for each of MAX_OPERATIONS'],
      ['test/server/long-bodies.test.ts', 'wait until they are decoded, half as many as MAX_OPERATIONS'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'more connections than `MAX_CONNECTIONS`',
    happens:
      'nothing while some of them are inactive: these are closed, the oldest first. While all have a request under way, 503 `OVERLOADED`; health checks are not affected (at once). Recovery: when requests end',
    shownBy: [
      ['test/server/connections.test.ts', 'while all of them have a request a further one is refused'],
      ['test/server/connections.test.ts', 'a connection that has sent nothing gives way to a new one'],
      ['test/server/connections.test.ts', 'keep neither health checks nor requests out'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'a client’s connection resets with several requests under way',
    happens:
      'their REST calls and downloads end, and their slots are free (at once). Recovery: with its next connection',
    shownBy: [['test/server/pipelining.test.ts', 'end their REST calls, and free their places']],
  },
  {
    kind: 'client or process fault',
    hazard: 'a client’s pool keeps idle connections for long',
    happens:
      'nothing: the subgraph closes none before `KEEP_ALIVE_MS` (95 s), so that no request meets a closing connection',
    shownBy: [
      ['test/server/connections.test.ts', 'keeps an idle connection open for that long'],
      ['test/server/connections.test.ts', 'a client with a shorter time loses no request'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'slow headers and slow bodies, many of them',
    happens: '408; others are not affected (10 s, 15 s). Recovery: by itself',
    shownBy: [['test/server/overload.test.ts', 'hundreds of slow heads and bodies do not hurt others']],
  },
  {
    kind: 'client or process fault',
    hazard: 'a bug in this program',
    happens:
      '`INTERNAL_SERVER_ERROR`, *The subgraph failed.*; its name and source location in the log (at once). Recovery: none is known: a soak and a fuzz run must have none',
    shownBy: [['test/programs/secrets-log.test.ts', 'is masked, and logged by its name and place']],
  },
  {
    kind: 'client or process fault',
    hazard: 'SIGTERM or SIGINT',
    happens:
      'running requests are answered; `GET /health/ready` is 503 (35 s at most: 5 s of notice, 29 s for what runs, 1 s to respond to what is cut short). Recovery: a second signal ends the process at once',
    shownBy: [
      ['test/programs/shutdown-load.test.ts', 'fails none of the requests on hundreds of open connections'],
      ['test/programs/shutdown-load.test.ts', 'a storm of new connections loses none that was made'],
      ['test/programs/shutdown.test.ts', '3.20 SIGTERM and SIGINT'],
    ],
  },
  {
    kind: 'client or process fault',
    hazard: 'an unhandled rejection',
    happens: 'the process ends with exit code 1, and its supervisor restarts it (at once). Recovery: none is known',
    shownBy: [['test/soak/soak.test.ts', 'fails on an unhandled rejection']],
  },
  {
    kind: 'client or process fault',
    hazard: 'a leak over hours',
    happens: 'Recovery: `npm run soak` shows that there is none',
    shownBy: [['test/soak/soak.test.ts', 'fails when %s leak, and says so']],
  },
];
