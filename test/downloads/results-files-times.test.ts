import { describe, expect, it } from 'vitest';
import { listen, start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const HEADERS = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n';
const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
const small = '{"assets":[{"asset_id":"a","results":[{"value_date":"d","metrics":[{"name":"m","value":1}]}]}';
/** More than what is read before the first bytes of a file. */
const large = `${small}${`,{"asset_id":"b","asset_name":"${'x'.repeat(4000)}","results":[{"value_date":"d"}]}`.repeat(500)}`;

/** A service that sends the beginning of a response, and then nothing. */
async function startBegun(beginning: string, env: Record<string, string>) {
  const serviceUrl = await listen((socket) => socket.once('data', () => socket.write(HEADERS + chunk(beginning))));
  return start({ serviceUrl, env });
}

/*
 * Clause 3.43 of docs/contract.md in detail: the time of a file.
 * A file ends if nothing comes for `UPSTREAM_TIMEOUT_MS`. That of an operation does not hold for it (project/features.test.ts).
 */
describe('3.43 The time of results as files', () => {
  it('ends with an error if nothing comes for UPSTREAM_TIMEOUT_MS before the first bytes', async () => {
    const bed = await startBegun(small, { UPSTREAM_TIMEOUT_MS: '100' });
    const { status, text } = await receive(bed, resultsPath('format=csv'));
    expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([504, 'UPSTREAM_TIMEOUT']);
  });

  it('ends by breaking off if nothing comes for UPSTREAM_TIMEOUT_MS after the first bytes', async () => {
    const bed = await startBegun(large, { UPSTREAM_TIMEOUT_MS: '1000' });
    const { status, text, isComplete } = await receive(bed, resultsPath('format=csv'));
    expect([status, isComplete, text.includes('a,,,d,m,1')]).toEqual([200, false, true]);
  });
});
