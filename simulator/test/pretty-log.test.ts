import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createSchema } from '../../src/graphql/schema/executable-schema.ts';
import { eventually } from '../../test/support/eventually.ts';
import {
  DATASET_ID,
  NAME,
  ofDataset,
  respondWith,
  type Setup,
  start,
  type TestBed,
} from '../../test/support/harness.ts';
import { breakDown } from '../../test/support/outage.ts';
import { prettyLog } from '../pretty-log.ts';

const headers = { 'x-request-id': 'my-id' };

function startLogged({ env, ...setup }: Setup = {}): Promise<TestBed> {
  return start({ ...setup, env: { LOG_OPERATIONS: 'on', ...env } });
}

/** The lines of the log for a person, once there are so many. */
async function prettyLinesOf({ log }: TestBed, count: number): Promise<string[]> {
  await eventually(() => expect(log).toHaveLength(count));
  const lines: string[] = [];
  const pretty = prettyLog({ write: (line) => lines.push(line) });
  for (const line of log) pretty.write(line);
  return lines;
}

/** The same without the time of day, and with `N` for the time that something took. */
async function linesOf(bed: TestBed, count: number): Promise<string[]> {
  return (await prettyLinesOf(bed, count)).map((line) => {
    const [, text = ''] = /^\d\d:\d\d:\d\d\.\d{3} (.*)\n$/.exec(line) ?? [];
    return text.replace(/\b[\d.]+ ms/, 'N ms');
  });
}

/*
 * The demo writes each line of the log for a person, with the time of day: colours only on a terminal and not with
 * `NO_COLOR`, ids of requests cut to eight characters if they have more than twelve, and no character that could affect
 * a terminal. The internal errors of a request are one line with their number, and the name of the first one, its first
 * stack frames and the request id, but not its message.
 */
describe('the log of the demo', () => {
  it('has a line for each REST call and each operation, and cuts long request ids', async () => {
    const bed = await startLogged();
    await bed.query(NAME, { headers });
    await bed.query(ofDataset('results { series { nodes { rowCount } } }'), { headers });
    for (const id of ['a'.repeat(12), 'b'.repeat(13)])
      await bed.query('{ __typename }', { headers: { 'x-request-id': id } });
    expect(await linesOf(bed, 6)).toEqual([
      'REST    getDatasetMetadata  200  N ms  382 B  request my-id',
      'GraphQL success N ms, 1 REST call, 382 B read, 46 B sent  request my-id',
      'REST    getDatasetResults   200  N ms  1.83 kB  request my-id',
      'GraphQL success N ms, 1 REST call, 1.83 kB read, 101 B sent  request my-id',
      'GraphQL success N ms, 0 REST calls, 32 B sent  request aaaaaaaaaaaa',
      'GraphQL success N ms, 0 REST calls, 32 B sent  request bbbbbbbb…',
    ]);
  });

  it('has the time of the day in which the program runs', async () => {
    const bed = await startLogged();
    const before = new Date();
    await bed.query(NAME);
    const after = new Date();
    const [line = ''] = await prettyLinesOf(bed, 2);
    const timeOf = (date: Date) =>
      `${date.toTimeString().slice(0, 8)}.${String(date.getMilliseconds()).padStart(3, '0')}`;
    const [time = ''] = line.split(' ');
    expect([timeOf(before), time, timeOf(after)].toSorted()).toContain(time);
    // Unless midnight was between them.
    if (timeOf(before) <= timeOf(after)) expect(timeOf(before) <= time && time <= timeOf(after)).toBe(true);
  });

  it('has the failure of a call, its label and its cause', async () => {
    const bed = await startLogged({ env: { LOG_OPERATIONS: 'off', UPSTREAM_RETRY: 'off' } });
    const faults = [{ status: 404, body: 'NOT_FOUND' }, { status: 500, body: '' }, { reset: true }, { body: '' }];
    for (const fault of faults) {
      bed.simulator.intercept(() => fault);
      await bed.query(NAME, { headers });
    }
    const lines = await linesOf(bed, 4);
    expect(lines).toEqual([
      'REST    getDatasetMetadata  404 NOT_FOUND  httpError  N ms  9 B  request my-id',
      'REST    getDatasetMetadata  500 INTERNAL_SERVER_ERROR  httpError  N ms  0 B  request my-id',
      expect.stringMatching(
        /^REST {4}getDatasetMetadata {2}no response {2}unavailable \([A-Z_]+\) {2}N ms {2}0 B {2}request my-id$/,
      ),
      'REST    getDatasetMetadata  200  N ms  0 B  request my-id',
    ]);
  });

  it('has the codes of errors, and how many rows are odd', async () => {
    const bed = await startLogged();
    respondWith(bed.simulator, {
      results: '{"assets":[{"asset_id":"a","results":[{"value_date":5},{"value_date":5}]}]}',
    });
    await bed.query(ofDataset('results { series { nodes { rows { valueDate } } } }'), { headers });
    const [, found] = await linesOf(bed, 2);
    expect(found?.replace(/\d+ B sent/, 'N B sent')).toBe(
      'GraphQL service_error N ms, 2 UPSTREAM_INVALID_RESPONSE, 1 REST call, 75 B read, N B sent, 2 odd rows  request my-id',
    );
  });

  it('writes sizes with three digits', async () => {
    const bed = await startLogged({ env: { LOG_OPERATIONS: 'off' } });
    const sizes = {
      999: '999 B',
      1000: '1 kB',
      12345: '12.3 kB',
      999499: '999 kB',
      999500: '1 MB',
      1234567: '1.23 MB',
    };
    for (const bytes of Object.keys(sizes)) {
      respondWith(bed.simulator, { metadata: `{"x":"${'x'.repeat(Number(bytes) - 8)}"}` });
      await bed.query(NAME, { headers });
    }
    expect(await linesOf(bed, 6)).toEqual(
      Object.values(sizes).map((size) => `REST    getDatasetMetadata  200  N ms  ${size}  request my-id`),
    );
  });

  it('has warnings and less urgent lines, with what they are about', async () => {
    const bed = await startLogged({ env: { LOG_OPERATIONS: 'off', LOG_LEVEL: 'debug', UPSTREAM_RETRY: 'off' } });
    await breakDown(bed);
    await bed.subgraph.stop();
    await eventually(() => expect(bed.log.at(-1)).toContain('odd rows'));
    const lines = await linesOf(bed, bed.log.length);
    const warning = 'The service is down. The circuit is open: only trial calls are made.';
    expect(lines.filter((line) => !line.startsWith('REST'))).toEqual([
      `WARN    ${warning}  operation getDatasetMetadata`,
      'INFO    odd rows of results  count 0',
    ]);
  });

  it('has an internal error by its name and place in one line, and does nothing to a terminal', async () => {
    const name = 'Odd\u001b]0;owned\u0007\u001b[2J\u009b31m\u202e\u2028Error\n';
    const makeSchema = () => {
      const schema = createSchema();
      const { dataset } = schema.getQueryType()?.getFields() ?? {};
      Object.assign(dataset ?? {}, {
        resolve: () => {
          throw Object.assign(new GraphQLError('canary'), { name });
        },
      });
      return schema;
    };
    const bed = await startLogged({ env: { LOG_OPERATIONS: 'off' }, makeSchema });
    await bed.query(`{ dataset(id: "${DATASET_ID}") { name } }`, { headers });
    const [found = ''] = await linesOf(bed, 1);
    expect(found).toMatch(
      /^ERROR {3}internal error {2}Odd.+owned.+Error {3}at (Object\.)?resolve \(.+ {2}request my-id$/,
    );
    expect(found).not.toMatch(/\p{Cc}|\p{Cf}|\u2028|canary/u);
  });
});
