import { type DocumentNode, parse } from 'graphql';
import { expect } from 'vitest';
import { readResults } from '../../test/oracle/body.ts';
import { mismatchOf } from '../../test/oracle/compare.ts';
import { respond, type Service } from '../../test/oracle/respond.ts';
import { BodyError, type PathError, Selection } from '../index.ts';
import { type AskedByDocument, askedBy } from './asked.ts';
import { heldBody, inPieces, readBodies, unlimited, type Written } from './read.ts';

/** What is read of a body with a document, compared with the oracle of test/oracle. */

export const ID = 'dataset';

const codes: Partial<Record<PathError['kind'], string>> = {
  tooLarge: 'UPSTREAM_RESPONSE_TOO_LARGE',
  limitExceeded: 'REQUEST_LIMIT_EXCEEDED',
  invalidArgument: 'BAD_USER_INPUT',
};

const problems: Partial<Record<PathError['kind'], string>> = {
  wrongDate: 'has a date of a wrong type',
  wrongMetrics: 'has a list of metrics of a wrong type',
  wrongValue: 'has a value of a wrong type',
  noDate: 'has no date',
  unreadableDate: 'has a date that cannot be read',
};

function errorOf({ path, kind, row, entry, origin }: PathError, { keys, series }: AskedByDocument) {
  const ofEntry = entry === undefined ? '' : ` of series ${entry}`;
  const message = row === undefined ? kind : `: row ${row}${ofEntry} ${problems[kind] ?? kind}`;
  // Without a list there is no series.
  if (path.length === 0)
    return { message, path: keys.slice(0, 3), locations: [series], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } };
  // What is computed from all series is beside them.
  const to = typeof path[0] === 'string' ? keys.slice(0, 2) : keys;
  const code = codes[kind] ?? 'UPSTREAM_INVALID_RESPONSE';
  return { message, path: [...to, ...path], locations: [origin], extensions: { code } };
}

/** A document as the oracle and the engine take it, with its variables. */
export interface Question {
  readonly document: DocumentNode;
  readonly variables: Record<string, unknown>;
  readonly asked: AskedByDocument;
  readonly selection: Selection;
}

/** Undefined if a document asks for more than a body. */
export function questionOf(document: DocumentNode, variables: Record<string, unknown>): Question | undefined {
  const asked = askedBy(document, variables, ID);
  if (asked === undefined) return undefined;
  const { entries, all } = asked;
  return { document, variables, asked, selection: new Selection({ ...(entries && { entries }), all }) };
}

/** To note where so many errors came from takes longer than to read the bodies. */
export function withoutStacks<T>(run: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Whether a body has several entries of an asset. */
function isRepeated(body: string): boolean {
  const assets = readResults(body)?.assets;
  return Array.isArray(assets) && new Set(assets.map(({ assetId }) => assetId)).size < assets.length;
}

/**
 * Compares what is read in these pieces with the oracle. Throws if it is wrong.
 *
 * @param isHeld whether it is also read where the body is held
 * @returns how many errors it has, of which the engine has none but that the body is invalid; undefined if nothing was compared: if the
 *   document asks for something that is made of rows that do not count
 */
export const compare = (...given: Parameters<typeof compareAll>): number | undefined =>
  withoutStacks(() => compareAll(...given));

function compareAll(
  { document, variables, asked, selection }: Question,
  body: string,
  ways: readonly (readonly number[])[],
  isHeld = true,
): number | undefined {
  const { keys, entries, all } = asked;
  // What is computed from all has taken the rows of an entry when it turns out to have no id.
  if (all.length > 0 && body.includes('{"results":[')) return undefined;
  const service: Service = {
    metadata: () => ({ status: 200, body: '{}' }),
    results: () => ({ status: 200, body }),
  };
  const expected = respond(document, variables, service);
  const errorCount = expected.result.errors?.length ?? 0;
  // Rows of which nothing is selected are not read.
  const readsRows = all.length > 0 || entries?.some(({ field }) => !['asset', 'version', 'constant'].includes(field));
  const omissions = readsRows === true ? expected.omissions : [];
  const check = ({ list, values, errors, reader }: Written, ofOthers = 0) => {
    const [dataset, results, series, nodes] = keys as [string, string, string, string];
    const ofList = entries && { [series]: list === 'null' ? null : { [nodes]: JSON.parse(list) } };
    const ofAll = all.map(({ key }, index) => [key, JSON.parse(values[index] as string)]);
    const data = { [dataset]: { [results]: { ...ofList, ...Object.fromEntries(ofAll) } } };
    const omission = { message: '', path: [dataset, results], extensions: { code: 'UPSTREAM_INVALID_RESPONSE' } };
    const omitted = reader.head.omitted + ofOthers > 0 ? [omission] : [];
    const response = { data, errors: [...errors.map((error) => errorOf(error, asked)), ...omitted] };
    const wrong = mismatchOf(response, { ...expected, omissions });
    if (wrong !== undefined)
      throw new Error(`${wrong}\n${document.loc?.source.body}\n${JSON.stringify(variables)}\n${body.slice(0, 4000)}`);
    return reader;
  };
  const bytes = Buffer.from(body);
  try {
    // Without it an asset with several entries has the attributes of each of them.
    const held = isHeld || isRepeated(body) ? heldBody(bytes) : undefined;
    const page = held && { held };
    for (const pieces of ways) {
      const { head } = check(readBodies(selection, [inPieces(bytes, pieces)], unlimited, page));
      if (pieces !== ways[0] || !isHeld || held === undefined || held.length === 0) continue;
      // The same in two bodies that have a part of the entries each. What stands between entries is in neither.
      const middle = held.length >> 1;
      const bodies = [...held.bodies(0, middle), ...held.bodies(middle)];
      check(readBodies(selection, bodies, unlimited, page), head.omitted);
    }
  } catch (error) {
    if (!(error instanceof BodyError)) throw error;
    const [dataset, results] = keys as [string, string];
    const data = expected.result.data as Record<string, Record<string, unknown>>;
    if (error.kind !== 'repeated') expect(data[dataset]?.[results], `${error.message}\n${body}`).toBeNull();
  }
  return errorCount;
}

/** The lengths of the pieces of short bodies, and of long ones. */
const [SHORT, LONG] = [
  [[1 << 20], [1], [7, 50]],
  [[1 << 20], [997]],
];

/** The questions that were asked before: most are asked of many bodies. */
const questions = new Map<string, Question>();

/** Checks what is read of a body with a selection on `DatasetResults`. Returns the number of its errors. */
export function expectRight(
  selection: string,
  body: string,
  ways: readonly (readonly number[])[] = body.length < 3000 ? SHORT : LONG,
  isHeld = true,
): number {
  const document = `query ($id: ID!) { dataset(id: $id) { results { ${selection} } } }`;
  const question = questions.get(document) ?? (questionOf(parse(document), { id: ID }) as Question);
  questions.set(document, question);
  const errors = compare(question, body, ways, isHeld);
  expect(errors, selection).toBeDefined();
  return errors as number;
}
