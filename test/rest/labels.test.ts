import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { DATASET_ID, start } from '../support/harness.ts';

type Body = NonNullable<Fault['body']>;

/** What a results call is refused with, and what is expected: the code, the label and the label source of the error. */
type Row = [status: number, body: Body, expected: unknown[], headers?: Record<string, string>];

/** Refuses a results call so with each of these. */
async function expectLabels(rows: Iterable<Row>): Promise<void> {
  const { simulator, query } = await start({ env: { UPSTREAM_OUTAGE_MS: '0' } });
  for (const [status, body, expected, headers = {}] of rows) {
    simulator.intercept(() => ({ status, body, headers }));
    const { data, errors } = (await query(`{ dataset(id: "${DATASET_ID}") { results { processingId } } }`)).body;
    const what = typeof body === 'string' ? body.slice(0, 100) : headers;
    const [{ extensions }] = errors;
    const { code, rest } = extensions;
    expect([what, data, rest.status]).toEqual([what, { dataset: { results: null } }, status]);
    expect([what, code, rest.label, rest.labelSource]).toEqual([what, ...expected]);
  }
}

const none = ['UPSTREAM_REJECTED', null, null];
const exception = ['UPSTREAM_REJECTED', 'EXCEPTION', 'body'];
const validation = ['BAD_USER_INPUT', 'VALIDATION_EXCEPTION', 'body'];

/** JSON with the value in a container of that level; the root is level 1. */
const atLevel = (level: number, value: string) => `${'{"error":'.repeat(level)}"${value}"${'}'.repeat(level)}`;

/** A list of that many nodes, itself included, of which the last is the value. */
const ofNodes = (count: number, value: string) =>
  JSON.stringify([...Array.from({ length: count - 2 }, () => 0), value]);

const EDGE = 65_536;

/*
 * Section 4 of docs/contract.md in detail: labels.
 * The status decides the code as soon as the response headers have arrived, whatever happens to the body. Only within
 * 400 does the label decide; a label of another status is ignored. The specification does not define an error body
 * (§7). So the subgraph looks for the label in the first 64 kB (65,536 bytes):
 * 1. as the whole trimmed text;
 * 2. else in JSON: the first string value in document order that equals a label listed for the status, in containers at
 *   most 3 levels deep (the root is level 1) and within 200 nodes;
 * 3. else, if a status has only one label, that one.
 */
describe('4 Labels', () => {
  it('are looked for in the whole trimmed body as text', async () => {
    await expectLabels([
      [400, 'VALIDATION_EXCEPTION', validation],
      [400, ' \r\n\tVALIDATION_EXCEPTION\n', validation],
      [400, '\ufeffVALIDATION_EXCEPTION', validation],
      [400, 'validation_exception', none],
      [400, 'Error: VALIDATION_EXCEPTION', none],
      [400, '<html><body>VALIDATION_EXCEPTION</body></html>', none],
      [400, '', none],
    ]);
  });

  it('are looked for in string values of JSON', async () => {
    await expectLabels([
      [400, '"VALIDATION_EXCEPTION"', validation],
      [400, '\ufeff{"error":"VALIDATION_EXCEPTION"}', validation],
      [400, '{"error":"\\u0056ALIDATION\\u005fEXCEPTION"}', validation],
      [400, '{"a":"\\"}],\\\\","error":"VALIDATION_EXCEPTION"}', validation],
      [400, '[null,true,false,-1.5e+3,"","VALIDATION_EXCEPTION"]', validation],
      [400, '{"error":"VALIDATION_EXCEPTION"}', validation, { 'content-type': 'text/html' }],
      // In JSON that is cut off, and in a value that is.
      [400, '{"error":"VALIDATION_EXCEPTION","det', validation],
      [400, '{"error":"VALIDATION_EXCEPTION', none],
      // As a key, as a part of a text, and behind the end.
      [400, '{"VALIDATION_EXCEPTION":"yes"}', none],
      [400, '{"VALIDATION_EXCEPTION":"EXCEPTION"}', exception],
      [400, '{"error":"400 VALIDATION_EXCEPTION"}', none],
      [400, JSON.stringify({ error: '{"error":"VALIDATION_EXCEPTION"}' }), none],
      [400, '{} "VALIDATION_EXCEPTION"', none],
      // Three levels and 200 nodes at most.
      [400, atLevel(3, 'VALIDATION_EXCEPTION'), validation],
      [400, atLevel(4, 'VALIDATION_EXCEPTION'), none],
      [400, ofNodes(200, 'VALIDATION_EXCEPTION'), validation],
      [400, ofNodes(201, 'VALIDATION_EXCEPTION'), none],
      // The first in the order of the text.
      [400, '{"first":"EXCEPTION","second":"VALIDATION_EXCEPTION"}', exception],
      [400, '{"b":"EXCEPTION","1":"VALIDATION_EXCEPTION"}', exception],
      [400, '{"a":"EXCEPTION","a":"VALIDATION_EXCEPTION"}', exception],
      [400, '[[["EXCEPTION"]],"VALIDATION_EXCEPTION"]', exception],
    ]);
  });

  it('are looked for in the first 64 kB of the body, decoded', async () => {
    const padded = (before: string, size: number, after: string) =>
      `${before}${' '.repeat(size - before.length - after.length)}${after}`;
    const gzip = { 'content-encoding': 'gzip' };
    async function* endless() {
      yield padded('["VALIDATION_EXCEPTION"', EDGE, '');
      await new Promise(() => {});
    }
    await expectLabels([
      [400, padded('', EDGE, 'VALIDATION_EXCEPTION'), validation],
      [400, padded('', EDGE + 1, 'VALIDATION_EXCEPTION'), none],
      [400, padded('[', EDGE, '"VALIDATION_EXCEPTION"'), validation],
      [400, padded('[', EDGE + 1, '"VALIDATION_EXCEPTION"'), none],
      [400, padded('[', 3 * EDGE, '"VALIDATION_EXCEPTION"]'), none],
      [400, `["${'x'.repeat(EDGE)}","VALIDATION_EXCEPTION"]`, none],
      [400, gzipSync(padded('[', EDGE, '"VALIDATION_EXCEPTION"')), validation, gzip],
      [400, gzipSync(padded('[', EDGE + 1, '"VALIDATION_EXCEPTION"')), none, gzip],
      [400, endless(), validation],
    ]);
  });

  it('count only at their status', async () => {
    const rows: [status: number, label: string, ...expected: unknown[]][] = [
      [400, 'NOT_FOUND', ...none],
      [401, 'EXCEPTION', 'UNAUTHENTICATED', 'WRONG_CREDENTIALS', 'status'],
      [403, 'WRONG_CREDENTIALS', 'FORBIDDEN', null, null],
      [404, 'BAD_REQUEST', 'NOT_FOUND', 'NOT_FOUND', 'status'],
      [405, 'DUPLICATE_ENTITY', 'UPSTREAM_CONTRACT_ERROR', 'METHOD_NOT_ALLOWED', 'status'],
      [409, 'METHOD_NOT_ALLOWED', 'CONFLICT', 'DUPLICATE_ENTITY', 'status'],
      [500, 'ACCESS_DENIED', 'UPSTREAM_ERROR', 'INTERNAL_SERVER_ERROR', 'status'],
      [502, 'INTERNAL_SERVER_ERROR', 'UPSTREAM_UNAVAILABLE', null, null],
      [418, 'BAD_REQUEST', 'UPSTREAM_INVALID_RESPONSE', null, null],
    ];
    await expectLabels(
      rows.flatMap(([status, label, ...expected]): Row[] => [
        [status, label, expected],
        [status, JSON.stringify({ error: label }), expected],
      ]),
    );
    await expectLabels([[400, '["NOT_FOUND","VALIDATION_EXCEPTION"]', validation]]);
  });
});
