import { get } from 'node:http';
import { describe, expect, it } from 'vitest';
import { gate, ofDataset, start } from '../support/harness.ts';
import { receive, tickets } from '../support/results-files.ts';
import { linkOf } from './files.ts';
import { bodyOf } from './table.ts';

const rows = Array.from({ length: 2000 }, (_, day) => ({ date: `${day}`, metrics: [['m', `${day}`] as const] }));
const asset = JSON.stringify(JSON.parse(bodyOf([{ id: 'a', name: null, version: null, rows }])).assets[0]);

describe('3.43 Results as files', () => {
  it.each(['parquet', 'arrow'] as const)(
    'end the call when the client leaves after some batches (%s)',
    async (format) => {
      const bed = await start({ env: { ...tickets, MAX_DOWNLOADS: '1' } });
      const { opened: ended, open: end } = gate();
      async function* endless() {
        try {
          yield Buffer.from('{"assets":[');
          for (;;) yield Buffer.from(`${asset},`);
        } finally {
          end();
        }
      }
      bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body: endless() } : undefined));
      const url = await linkOf(bed, format, 'long');
      let received = 0;
      const request = get(url, { agent: false }, (response) => {
        response.on('data', (chunk) => {
          received += chunk.length;
          if (received > 100_000) request.destroy();
        });
      });
      request.on('error', () => {});
      await ended;
      expect(received).toBeGreaterThan(100_000);
      // Its place is free again.
      bed.simulator.intercept(() => undefined);
      const { body } = await bed.query(ofDataset(`results { file(format: ${format.toUpperCase()}, auth: TICKET) }`));
      expect(await receive(bed, body.data.dataset.results.file, {})).toMatchObject({ status: 200, isComplete: true });
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
