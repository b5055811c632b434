import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { gate, listen, ofDataset, start } from '../support/harness.ts';
import { codeOf } from '../support/outage.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const HEADERS = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const small = '{"assets":[{"asset_id":"a","results":[{"value_date":"d","metrics":[{"name":"m","value":1}]}]}';
/** More than what is read before the first bytes of a file. */
const large = `${small}${`,{"asset_id":"b","asset_name":"${'x'.repeat(4000)}","results":[{"value_date":"d"}]}`.repeat(500)}`;

/** A service that sends the beginning of a response to its first request, and nothing to any other. */
async function startBegun(beginning: string, env: Record<string, string>) {
  let first: Socket | undefined;
  const { opened: begun, open: begin } = gate();
  const serviceUrl = await listen((socket) => {
    socket.on('error', () => {});
    if (first !== undefined) return;
    first = socket;
    socket.once('data', () => socket.write(HEADERS + chunk(beginning), begin));
  });
  const bed = await start({ serviceUrl, env });
  return { bed, begun, end: (rest: string) => first?.end(`${chunk(rest)}0\r\n\r\n`) };
}

describe('3.43 The time of results as files', () => {
  it('ends with an error if nothing comes for UPSTREAM_TIMEOUT_MS before the first bytes', async () => {
    const { bed } = await startBegun(small, { UPSTREAM_TIMEOUT_MS: '100' });
    const { status, text } = await receive(bed, resultsPath('format=csv'));
    expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([504, 'UPSTREAM_TIMEOUT']);
  });

  it('ends by breaking off if nothing comes for UPSTREAM_TIMEOUT_MS after the first bytes', async () => {
    const { bed } = await startBegun(large, { UPSTREAM_TIMEOUT_MS: '1000' });
    const { status, text, isComplete } = await receive(bed, resultsPath('format=csv'));
    expect([status, isComplete, text.includes('a,,,d,m,1')]).toEqual([200, false, true]);
  });

  it.each([
    ['before', small],
    ['after', large],
  ])('does not end with that of an operation %s the first bytes', async (_when, beginning) => {
    const { bed, begun, end } = await startBegun(beginning, { OPERATION_TIMEOUT_MS: '100' });
    const receiving = receive(bed, resultsPath('format=csv'));
    await begun;
    // It began later, and its time is over.
    expect(codeOf(await bed.query(ofDataset('name')))).toBe('UPSTREAM_TIMEOUT');
    end(']}');
    expect(await receiving).toMatchObject({ status: 200, isComplete: true });
  });
});
