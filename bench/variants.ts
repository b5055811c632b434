import type { RestCall } from './rest-call.ts';
import type { Query, Workload } from './workloads.ts';

/** How many datasets the requests of a workload are for, in turn. */
const DATASETS = 256;
/** The end of the id of a copy of a dataset. */
const COPY = /(-copy-\d+)?$/;

/** A query for another dataset with the same data, and for others in place of those in its lists. */
export function copyOf({ document, variables }: Query, number: number): Query {
  const copied = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copied);
    return String(value).replace(COPY, `-copy-${String(number).padStart(7, '0')}`);
  };
  return {
    document,
    variables: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, copied(value)])),
  };
}

function callsOf([first, ...others]: readonly [RestCall, ...RestCall[]], number: number): Workload['rest'] {
  const copied = (call: RestCall) => ({
    ...call,
    path: call.path.replace(COPY, `-copy-${String(number).padStart(7, '0')}`),
  });
  return [copied(first), ...others.map(copied)];
}

/** The same work for many datasets with the same data, in turn. */
export function ofManyDatasets(workload: Workload): Workload {
  const { query, rest } = workload;
  const variants = Array.from({ length: DATASETS }, (_, number) => ({
    query: copyOf(query, number),
    ...(rest && { rest: callsOf(rest, number) }),
  }));
  return { ...workload, ...variants[0], variants };
}

/** The same work by this many documents, in turn. @param documentOf the document with a number; all have the same length */
export function ofManyDocuments(workload: Workload, count: number, documentOf: (number: number) => string): Workload {
  const variants = Array.from({ length: count }, (_, number) => ({
    query: { ...workload.query, document: documentOf(number) },
  }));
  return { ...workload, ...variants[0], variants };
}
