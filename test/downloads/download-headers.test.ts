import { describe, expect, it } from 'vitest';
import { CONTENT, download, head, startRaw } from '../support/download-route.ts';
import { DATASET_ID, dataset, start } from '../support/harness.ts';

describe('3.35 What is told of a file', () => {
  /** What is told of a file with each of these values of a header. */
  async function expectTold(name: string, rows: readonly (readonly [sent: string | string[], passed: string])[]) {
    const bed = await start();
    for (const [sent, passed] of rows) {
      bed.simulator.intercept(() => ({ headers: { [name]: sent } }));
      const answer = await download(bed);
      expect(answer).toMatchObject({ status: 200, text: CONTENT, isComplete: true });
      expect([sent, answer.headers[name]]).toEqual([sent, passed]);
    }
  }

  it('the type', async () => {
    await expectTold('content-type', [
      ['text/csv; charset=utf-8', 'text/csv; charset=utf-8'],
      ['application/vnd.a.b+json;a="b;\\"c";d=e', 'application/vnd.a.b+json;a="b;\\"c";d=e'],
      [[], 'application/octet-stream'],
      ['text/csv, text/html', 'application/octet-stream'],
      ['text/csv; a="b', 'application/octet-stream'],
      ['text/\u00e9', 'application/octet-stream'],
      [`text/${'x'.repeat(250)}`, `text/${'x'.repeat(250)}`],
      [`text/${'x'.repeat(251)}`, 'application/octet-stream'],
      [['text/csv', 'text/html'], 'application/octet-stream'],
    ]);
  });

  const nameless = `attachment; filename=dataset-${DATASET_ID}`;

  it('the name', async () => {
    await expectTold('content-disposition', [
      ['inline; filename="a b.csv"', 'attachment; filename="a b.csv"'],
      ['form-data; name=x; filename=a.csv; size=5; x="y"', 'attachment; filename=a.csv'],
      [
        `attachment; filename="x.csv"; filename*=UTF-8''${encodeURIComponent('sol é€.csv')}`,
        `attachment; filename="sol __.csv"; filename*=UTF-8''sol%20%C3%A9%E2%82%AC.csv`,
      ],
      [
        `attachment; filename*=UTF-8''%F0%9F%92%A7.csv`,
        "attachment; filename=_.csv; filename*=UTF-8''%F0%9F%92%A7.csv",
      ],
      // Paths.
      ['attachment; filename="/etc/passwd"', 'attachment; filename=passwd'],
      ['attachment; filename="..\\\\..\\\\a.csv"', 'attachment; filename=a.csv'],
      ["attachment; filename*=UTF-8''%2Fetc%2Fpasswd", 'attachment; filename=passwd'],
      ['attachment; filename=".."', nameless],
      // An option of a command, and devices.
      ['attachment; filename="-rf"', 'attachment; filename=rf'],
      ['attachment; filename="nul.csv"', 'attachment; filename=_nul.csv'],
      // What is not seen, or not as it is.
      ["attachment; filename*=UTF-8''a%0D%0Ab%00%7F.csv", 'attachment; filename=ab.csv'],
      ["attachment; filename*=UTF-8''a%E2%80%AEvsc.exe", 'attachment; filename=avsc.exe'],
      ["attachment; filename*=UTF-8''%E2%81%A6a%E2%81%A9%E2%80%8B%EF%BB%BF.csv", 'attachment; filename=a.csv'],
      ['attachment; filename="a<b>:c|d?e*.csv. "', 'attachment; filename=a_b__c_d_e_.csv'],
      ['attachment; filename="100%41.csv"', "attachment; filename=100%41.csv; filename*=UTF-8''100%2541.csv"],
      // Lengths.
      [`attachment; filename=${'x'.repeat(181)}.csv`, `attachment; filename=${'x'.repeat(180)}.csv`],
      // Nothing usable.
      [[], nameless],
      ['attachment; filename=""', nameless],
      [['attachment; filename=a.csv', 'attachment; filename=b.csv'], nameless],
      [`attachment; filename=" ${'.'.repeat(50)}"`, nameless],
    ]);
  });

  // The simulator's HTTP server sends no such bytes.
  it.each([
    ['UTF-8', Buffer.from('é€.csv'), "attachment; filename=__.csv; filename*=UTF-8''%C3%A9%E2%82%AC.csv"],
    ['one byte', Buffer.from('é.csv', 'latin1'), "attachment; filename=_.csv; filename*=UTF-8''%C3%A9.csv"],
  ])('the name in plain bytes of %s, as it is meant', async (_title, name, passed) => {
    const bed = await startRaw((socket) => {
      const [before, after] = head('content-disposition: attachment; filename="NAME"', 'content-length: 0').split(
        'NAME',
      );
      socket.end(Buffer.concat([Buffer.from(before ?? ''), name, Buffer.from(after ?? '')]));
    });
    expect((await download(bed)).headers['content-disposition']).toBe(passed);
  });

  it('the id, where the service says no name, made a name', async () => {
    const id = '../a"b;é';
    const bed = await start({ datasets: [{ ...dataset, metadata: { ...dataset.metadata, id } }] });
    bed.simulator.intercept(() => ({ headers: { 'content-disposition': [] } }));
    const { headers } = await download(bed, { path: `/download/dataset/${encodeURIComponent(id)}` });
    expect(headers['content-disposition']).toBe('attachment; filename=dataset-___a_b__');
  });
});
