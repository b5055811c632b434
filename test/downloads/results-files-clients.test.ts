import { afterEach, describe, expect, it, vi } from 'vitest';
import { Tickets } from '../../src/downloads/tickets.ts';
import { eventually } from '../support/eventually.ts';
import { gate, getSummary, postResults } from '../support/harness.ts';
import { readSample, startMeasured } from '../support/metrics.ts';
import { open } from '../support/overload.ts';
import { fileUrl, receive, resultsPath, tickets } from '../support/results-files.ts';

afterEach(() => void vi.restoreAllMocks());

describe('3.43 Results as files for a client that leaves', () => {
  it.each(['LONG', 'WIDE'])('while its ticket is opened make no call, and hold nothing (%s)', async (layout) => {
    const bed = await startMeasured({ env: tickets });
    const { pathname } = new URL(await fileUrl(bed, `format: PARQUET, layout: ${layout}, auth: TICKET`));
    const { opened: left, open: leave } = gate();
    const { opened: asked, open: ask } = gate();
    const openTicket = Tickets.prototype.open;
    vi.spyOn(Tickets.prototype, 'open').mockImplementation(async function (this: Tickets, ...all) {
      ask();
      await left;
      return openTicket.apply(this, all);
    });
    const { socket } = await open(bed, `GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`);
    await asked;
    socket.resetAndDestroy();
    // The request of the metrics themselves does not count.
    await eventually(async () => expect(await readSample(bed, 'http_server_active_requests')).toBe(0));
    leave();
    expect(await receive(bed, resultsPath('format=parquet'))).toMatchObject({ status: 200, isComplete: true });
    expect(bed.calls()).toEqual([getSummary(), postResults({})]);
    await eventually(async () => expect(await readSample(bed, 'rest_memory_held_bytes')).toBe(0));
  });
});
