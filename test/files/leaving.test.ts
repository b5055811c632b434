import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { gate, start, type TestBed } from '../support/harness.ts';
import { fileTicketUrl, receive, tickets } from '../support/results-files.ts';
import { linkOf } from './files.ts';
import { bodyOf } from './table.ts';

const rows = Array.from({ length: 2000 }, (_, day) => ({ date: `${day}`, metrics: [['m', `${day}`] as const] }));
const asset = JSON.stringify(JSON.parse(bodyOf([{ id: 'a', name: null, version: null, rows }])).assets[0]);

/** The one place for a download is free again. */
async function expectFreeSlot(bed: TestBed, format: 'parquet' | 'arrow'): Promise<void> {
  bed.simulator.intercept(() => undefined);
  const url = await fileTicketUrl(bed, `rowsFile(format: ${format.toUpperCase()})`);
  await eventually(async () => expect(await receive(bed, url, {})).toMatchObject({ status: 200, isComplete: true }));
}

describe('3.43 Results as files', () => {
  it.each(['parquet', 'arrow'] as const)(
    'end the call when the client leaves while results are held (%s)',
    async (format) => {
      const bed = await start({ env: { ...tickets, MAX_DOWNLOADS: '1' } });
      const { opened: begun, open: begin } = gate();
      const { opened: ended, open: end } = gate();
      async function* endless() {
        try {
          yield Buffer.from('{"assets":[');
          for (let count = 0; ; count += 1) {
            yield Buffer.from(`${asset},`);
            if (count === 10) begin();
          }
        } finally {
          end();
        }
      }
      bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: endless() } : undefined));
      const request = get(await linkOf(bed, format, 'long'), { agent: false });
      request.on('error', () => {});
      await begun;
      request.destroy();
      await ended;
      await expectFreeSlot(bed, format);
    },
  );

  it.each(['parquet', 'arrow'] as const)(
    'make no more when the client leaves after some batches (%s)',
    async (format) => {
      const bed = await start({ env: { ...tickets, MAX_DOWNLOADS: '1' } });
      const body = `{"assets":[${Array(300).fill(asset).join()}]}`;
      bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
      const { opened: left, open: leave } = gate();
      const request = get(await linkOf(bed, format, 'long'), { agent: false }, (response) => {
        response.on('error', () => {});
        response.once('data', () => {
          request.destroy();
          leave();
        });
      });
      request.on('error', () => {});
      await left;
      await expectFreeSlot(bed, format);
    },
  );

  it('break off in Parquet where the end of the file would be too large', { timeout: 120_000 }, async () => {
    const bed = await start({ env: tickets });
    const name = (index: number) => `{"name":"m${index}","value":1}`;
    const first = `{"metrics":[${Array.from({ length: 1000 }, (_, index) => name(index)).join()}]}`;
    const receiveRows = async (count: number) => {
      const rows = [first, ...Array.from({ length: count - 1 }, (_, index) => `{"metrics":[${name(index % 1000)}]}`)];
      const body = `{"assets":[{"asset_id":"a","results":[${rows.join()}]}]}`;
      bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
      return receive(bed, await linkOf(bed, 'parquet', 'wide'), {});
    };
    // 130 row groups of 1045 rows and 1004 columns have 130,520 columns.
    expect(await receiveRows(130 * 1045)).toMatchObject({ status: 200, isComplete: true });
    expect(await receiveRows(130 * 1045 + 1)).toMatchObject({ status: 200, isComplete: false });
  });
});
