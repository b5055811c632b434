import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { DATASET_ID, start } from '../support/harness.ts';

type Body = NonNullable<Fault['body']>;

/** The error of a results call that was refused so: its code, label and label source. */
async function refused(status: number, body: Body, headers: Record<string, string> = {}): Promise<unknown[]> {
  const { simulator, query } = await start();
  simulator.intercept(() => ({ status, body, headers }));
  const response = await query(`{ dataset(id: "${DATASET_ID}") { results { processingId } } }`);
  expect(response.body).toMatchObject({
    data: { dataset: { results: null } },
    errors: [{ extensions: { rest: { status } } }],
  });
  const [{ extensions }] = response.body.errors;
  return [extensions.code, extensions.rest.label, extensions.rest.labelSource];
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
describe('4 Labels: the whole trimmed body as text', () => {
  it.each([
    ['as it is', 'VALIDATION_EXCEPTION', validation],
    ['between white space', ' \r\n\tVALIDATION_EXCEPTION\n', validation],
    ['after a byte-order mark', '\ufeffVALIDATION_EXCEPTION', validation],
    ['in lower case', 'validation_exception', none],
    ['with something before it', 'Error: VALIDATION_EXCEPTION', none],
    ['with something after it', 'VALIDATION_EXCEPTION.', none],
    ['twice', 'VALIDATION_EXCEPTION VALIDATION_EXCEPTION', none],
    ['in HTML', '<html><body>VALIDATION_EXCEPTION</body></html>', none],
    ['in a form', 'error=VALIDATION_EXCEPTION', none],
    ['not at all', '', none],
  ])('%s', async (_case, body, expected) => expect(await refused(400, body)).toEqual(expected));
});

describe('4 Labels: a string value of JSON', () => {
  it.each([
    ['the root', '"VALIDATION_EXCEPTION"', validation],
    ['the root, after a byte-order mark', '\ufeff{"error":"VALIDATION_EXCEPTION"}', validation],
    ['under any key', '{"a":1,"whatever":"VALIDATION_EXCEPTION"}', validation],
    ['in a list', '["no","VALIDATION_EXCEPTION"]', validation],
    ['in objects of a list', '{"errors":[{"code":"VALIDATION_EXCEPTION"}]}', validation],
    ['after deeper containers', '{"a":[[[["no"]]]],"b":{"c":{"d":{}}},"e":"VALIDATION_EXCEPTION"}', validation],
    ['with white space around it', '\n{ "error" :\t"VALIDATION_EXCEPTION" }\r\n', validation],
    ['with escaped letters', '{"error":"\\u0056ALIDATION\\u005fEXCEPTION"}', validation],
    ['after a text with quotes and braces', '{"a":"\\"}],\\\\","error":"VALIDATION_EXCEPTION"}', validation],
    ['after every kind of scalar', '[null,true,false,-1.5e+3,"","VALIDATION_EXCEPTION"]', validation],
    ['as a key only', '{"VALIDATION_EXCEPTION":"yes"}', none],
    ['as a key, before another as a value', '{"VALIDATION_EXCEPTION":"EXCEPTION"}', exception],
    ['as a part of a text', '{"error":"400 VALIDATION_EXCEPTION"}', none],
    ['with a space at its end', '{"error":"VALIDATION_EXCEPTION "}', none],
    ['in lower case', '{"error":"validation_exception"}', none],
    ['within JSON within a text', JSON.stringify({ error: '{"error":"VALIDATION_EXCEPTION"}' }), none],
    ['after the end of the JSON', '{} "VALIDATION_EXCEPTION"', none],
  ])('%s', async (_case, body, expected) => expect(await refused(400, body)).toEqual(expected));

  it.each([
    [1, validation],
    [2, validation],
    [3, validation],
    [4, none],
  ])('in a container of level %i', async (level, expected) => {
    expect(await refused(400, atLevel(level, 'VALIDATION_EXCEPTION'))).toEqual(expected);
    expect(await refused(400, `${'['.repeat(level)}"VALIDATION_EXCEPTION"${']'.repeat(level)}`)).toEqual(expected);
  });

  it.each([
    [200, validation],
    [201, none],
  ])('as node number %i', async (count, expected) => {
    expect(await refused(400, ofNodes(count, 'VALIDATION_EXCEPTION'))).toEqual(expected);
  });

  it.each([
    ['of the text', '{"first":"EXCEPTION","second":"VALIDATION_EXCEPTION"}', exception],
    ['also of keys that look like numbers', '{"b":"EXCEPTION","1":"VALIDATION_EXCEPTION"}', exception],
    ['also of a repeated key', '{"a":"EXCEPTION","a":"VALIDATION_EXCEPTION"}', exception],
    ['whatever the level', '[[["EXCEPTION"]],"VALIDATION_EXCEPTION"]', exception],
    ['not of the specification', '["VALIDATION_EXCEPTION","BAD_REQUEST"]', validation],
  ])('the first in the order %s', async (_case, body, expected) => expect(await refused(400, body)).toEqual(expected));

  it('whatever the content type', async () => {
    const headers = { 'content-type': 'text/html' };
    expect(await refused(400, '{"error":"VALIDATION_EXCEPTION"}', headers)).toEqual(validation);
  });

  it('in the beginning of JSON that is cut off', async () => {
    expect(await refused(400, '{"error":"VALIDATION_EXCEPTION","det')).toEqual(validation);
    expect(await refused(400, '{"error":"VALIDATION_EXCEPTION')).toEqual(none);
  });
});

describe('4 Labels: the first 64 kB of the body', () => {
  const padded = (before: string, size: number, after: string) =>
    `${before}${' '.repeat(size - before.length - after.length)}${after}`;

  it.each([
    ['a text that ends at the edge', padded('', EDGE, 'VALIDATION_EXCEPTION'), validation],
    ['a text that ends a byte beyond it', padded('', EDGE + 1, 'VALIDATION_EXCEPTION'), none],
    ['a text before more white space than that', padded('VALIDATION_EXCEPTION', 3 * EDGE, ''), validation],
    ['a JSON value that ends at the edge', padded('[', EDGE, '"VALIDATION_EXCEPTION"'), validation],
    ['a JSON value that ends a byte beyond it', padded('[', EDGE + 1, '"VALIDATION_EXCEPTION"'), none],
    ['a JSON value before more than that', padded('["VALIDATION_EXCEPTION",', 3 * EDGE, '0]'), validation],
    ['a JSON value behind more than that', padded('[', 3 * EDGE, '"VALIDATION_EXCEPTION"]'), none],
    ['a JSON value behind a text longer than that', `["${'x'.repeat(EDGE)}","VALIDATION_EXCEPTION"]`, none],
  ])('%s', async (_case, body, expected) => expect(await refused(400, body)).toEqual(expected));

  it('decides, where the rest of the body never comes', async () => {
    async function* endless() {
      yield padded('["VALIDATION_EXCEPTION"', EDGE, '');
      await new Promise(() => {});
    }
    expect(await refused(400, endless())).toEqual(validation);
  });

  it('are counted in decoded bytes', async () => {
    const headers = { 'content-encoding': 'gzip' };
    expect(await refused(400, gzipSync(padded('[', EDGE, '"VALIDATION_EXCEPTION"')), headers)).toEqual(validation);
    expect(await refused(400, gzipSync(padded('[', EDGE + 1, '"VALIDATION_EXCEPTION"')), headers)).toEqual(none);
  });
});

describe('4 Labels: a compressed body', () => {
  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['br', brotliCompressSync],
  ])('%s', async (encoding, compress) => {
    const body = compress('{"error":"VALIDATION_EXCEPTION"}');
    expect(await refused(400, body, { 'content-encoding': encoding })).toEqual(validation);
  });

  it.each(['gzip', 'deflate', 'br'])('%s in name only: the status decides alone', async (encoding) => {
    for (const body of ['', '{"error":"VALIDATION_EXCEPTION"}']) {
      const headers = { 'content-encoding': encoding };
      expect(await refused(400, body, headers)).toEqual(none);
      expect(await refused(401, body, headers)).toEqual(['UNAUTHENTICATED', 'WRONG_CREDENTIALS', 'status']);
      expect(await refused(503, body, headers)).toEqual(['UPSTREAM_UNAVAILABLE', null, null]);
    }
  });
});

describe('4 Labels: a body that cannot be read', () => {
  it.each<[string, Fault]>([
    ['is in an unknown encoding', { headers: { 'content-encoding': 'compress' } }],
    ['is cut off', { cutAfterBytes: 5 }],
  ])('leaves the code to the status where it %s', async (_case, fault) => {
    const { simulator, query } = await start();
    simulator.intercept(() => ({ status: 403, ...fault }));
    const { body } = await query(`{ dataset(id: "${DATASET_ID}") { results { processingId } } }`);
    expect(body.errors[0].extensions.code).toBe('FORBIDDEN');
  });
});

describe('4 Labels: only those of the status', () => {
  it.each([
    [400, 'NOT_FOUND', ...none],
    [401, 'EXCEPTION', 'UNAUTHENTICATED', 'WRONG_CREDENTIALS', 'status'],
    [403, 'WRONG_CREDENTIALS', 'FORBIDDEN', null, null],
    [404, 'BAD_REQUEST', 'NOT_FOUND', 'NOT_FOUND', 'status'],
    [405, 'DUPLICATE_ENTITY', 'UPSTREAM_CONTRACT_ERROR', 'METHOD_NOT_ALLOWED', 'status'],
    [409, 'METHOD_NOT_ALLOWED', 'CONFLICT', 'DUPLICATE_ENTITY', 'status'],
    [500, 'ACCESS_DENIED', 'UPSTREAM_ERROR', 'INTERNAL_SERVER_ERROR', 'status'],
    [502, 'INTERNAL_SERVER_ERROR', 'UPSTREAM_UNAVAILABLE', null, null],
    [418, 'BAD_REQUEST', 'UPSTREAM_INVALID_RESPONSE', null, null],
  ])('%i with %s', async (status, label, code, expectedLabel, labelSource) => {
    expect(await refused(status, label)).toEqual([code, expectedLabel, labelSource]);
    expect(await refused(status, JSON.stringify({ error: label }))).toEqual([code, expectedLabel, labelSource]);
  });

  it('passes over one of another status', async () => {
    expect(await refused(400, '["NOT_FOUND","VALIDATION_EXCEPTION"]')).toEqual(validation);
  });
});
