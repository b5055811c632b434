import { Kind } from 'graphql';
import type { Check } from './numbers.ts';
import type { Expected } from './respond.ts';

/** Compares a response with what it must be. */

/** Fields that are computed from all rows while these arrive. If one of them is null with an error, the rest may not be read. */
const ofAllRows: ReadonlySet<string> = new Set(['statistics', 'byDate']);

type Path = readonly (string | number)[];

/** The most errors of a response; one more says how many are omitted. */
const MAX_ERRORS = 1000;

interface ErrorOfResponse {
  readonly message: string;
  readonly path?: Path;
  readonly locations?: readonly unknown[];
  readonly extensions?: { readonly code?: unknown };
}

interface Received {
  readonly data?: unknown;
  readonly errors?: readonly ErrorOfResponse[];
}

const isCheck = (value: object): value is Check => 'mismatch' in value && typeof value.mismatch === 'function';

/** Where two values differ, and how. Undefined if they do not. Objects have their members in the same order. */
function difference(found: unknown, expected: unknown, path: string): string | undefined {
  if (typeof expected !== 'object' || expected === null || typeof found !== 'object' || found === null) {
    if (typeof expected === 'object' && expected !== null && isCheck(expected)) {
      const mismatch = expected.mismatch(found);
      return mismatch && `${path}: ${found} is ${mismatch}`;
    }
    return Object.is(found, expected) ? undefined : `${path}: ${show(found)} instead of ${show(expected)}`;
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(found)) return `${path}: no list`;
    if (found.length !== expected.length) return `${path}: ${found.length} entries instead of ${expected.length}`;
    for (let index = 0; index < expected.length; index += 1) {
      const within = difference(found[index], expected[index], '');
      if (within !== undefined) return `${path}.${index}${within}`;
    }
    return undefined;
  }
  const [keys, expectedKeys] = [Object.keys(found), Object.keys(expected)];
  if (keys.length !== expectedKeys.length) return `${path}: the members ${keys} instead of ${expectedKeys}`;
  for (const [index, key] of expectedKeys.entries()) {
    if (keys[index] !== key) return `${path}: the members ${keys} instead of ${expectedKeys}`;
    const within = difference((found as Members)[key], (expected as Members)[key], '');
    if (within !== undefined) return `${path}.${key}${within}`;
  }
  return undefined;
}

type Members = Record<string, unknown>;

const show = (value: unknown) => (JSON.stringify(value) ?? 'nothing').slice(0, 300);

/** An error as text: its path, its code, and where the first of its fields is in the document. */
const lineOf = ({ path = [], locations, extensions }: ErrorOfResponse) =>
  `${path.join('.')} ${extensions?.code} ${JSON.stringify(locations?.[0])}`;

/** What is wrong with a response. Undefined if it is right. */
export function mismatchOf(received: Received, expected: Expected): string | undefined {
  return difference(received.data, expected.result.data, 'data') ?? errorMismatch(received.errors ?? [], expected);
}

function errorMismatch(
  received: readonly ErrorOfResponse[],
  { result, omissions, mayOmit }: Expected,
): string | undefined {
  const { errors: expected = [] } = result;
  const lines = expected.map((error) => ({ line: lineOf(error.toJSON()), text: error.message }));
  const left = new Map<string, number>();
  for (const { line } of lines) left.set(line, (left.get(line) ?? 0) + 1);
  const others: ErrorOfResponse[] = [];
  for (const error of received) {
    const count = left.get(lineOf(error)) ?? 0;
    if (count === 0) others.push(error);
    else left.set(lineOf(error), count - 1);
  }
  const isOmission = ({ path = [], extensions }: ErrorOfResponse) =>
    extensions?.code === 'UPSTREAM_INVALID_RESPONSE' && mayOmit(path.join('.'));
  const reported = others.filter(isOmission);
  const unexpected = others.filter((error) => !isOmission(error));
  const missing = [...left].filter(([, count]) => count > 0);
  const all = lines.length + omissions.length;
  // Which ones are omitted depends on the order in which fields are completed.
  if (all > MAX_ERRORS && received.length === MAX_ERRORS + 1) return undefined;
  if (unexpected.length > 0)
    return `errors: ${unexpected.map((error) => `${lineOf(error)} ${error.message}`).join('; ')}`;
  if (missing.length > 0) return `errors that are missing: ${missing.map(([line]) => line).join('; ')}`;
  const isUse = (uses: ReadonlySet<string>, path: Path = []) => uses.has(path.join('.'));
  const stopped = expected.filter(({ nodes }) =>
    ofAllRows.has(nodes?.[0]?.kind === Kind.FIELD ? nodes[0].name.value : ''),
  );
  const silent = omissions.find(
    (uses) =>
      !reported.some(({ path }) => isUse(uses, path)) && !stopped.some(({ path }) => isUse(uses, path?.slice(0, -1))),
  );
  if (silent !== undefined) return `no error for omitted entries at ${[...silent].join(', ')}`;
  const texts = Map.groupBy(received, lineOf);
  const wrong = lines.find(({ line, text }) => !texts.get(line)?.some(({ message }) => message.includes(text)));
  const said = texts.get(wrong?.line ?? '')?.map(({ message }) => message);
  return wrong && `the error at ${wrong.line} does not say "${wrong.text}" but ${show(said)}`;
}
