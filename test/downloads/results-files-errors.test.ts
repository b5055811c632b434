import { get } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { errorAt } from '../support/expected-errors.ts';
import {
  assetResult,
  DATASET_ID,
  dataset,
  gate,
  listen,
  ofDataset,
  outline,
  postResults,
  start,
  TOKEN,
} from '../support/harness.ts';
import { fileTicketUrl, receive, resultsPath, tickets } from '../support/results-files.ts';

const bearer = { authorization: `Bearer ${TOKEN}` };
const refused = (message: string, code = 'BAD_USER_INPUT') => ({ errors: [{ message, extensions: { code } }] });
const noTime = 'must be epoch milliseconds, a month, a date, or an RFC 3339 date-time with an offset.';
const HEADER = 'asset_id,asset_name,asset_version,value_date,metric,value\r\n';
const path = ['dataset', 'results', 'rowsFile', 'ticketUrl'];

/** An asset of some hundred kilobytes. */
const largeAsset = (id: string) => ({
  ...assetResult(id),
  results: Array.from({ length: 4000 }, (_, day) => ({
    value_date: `day ${day}`,
    metrics: [{ name: 'm', value: day }],
  })),
});

/** Results that break off behind an asset. More is written of them than one chunk. */
const cut = `{"assets":[${[...'abcdefghij'].map((id) => JSON.stringify(largeAsset(id))).join(',')}`;

afterEach(() => void vi.useRealTimers());

describe('3.43 Results as files', () => {
  it.each([
    ['', 'The parameter "format" must be one of csv, csv_spreadsheet, ndjson, parquet, arrow.'],
    ['format=CSV', 'The parameter "format" must be one of csv, csv_spreadsheet, ndjson, parquet, arrow.'],
    ['format=csv&format=csv', 'The parameter "format" must not be repeated.'],
    ['format=csv&layout=tall', 'The parameter "layout" must be one of long, wide.'],
    ['format=csv&asset_id=a', 'The query has no parameter "asset_id".'],
    ['format=csv&assetId=a&assetId=', 'An asset id must have 1 to 200 characters.'],
    [`format=csv&assetId=${'x'.repeat(201)}`, 'An asset id must have 1 to 200 characters.'],
    ['format=csv&start=2&stop=1', 'A time range must not start after its stop.'],
    ['format=csv&start=', `The parameter "start" ${noTime}`],
    ['format=csv&stop=2024-01-01T00:00:00', `The parameter "stop" ${noTime}`],
  ])('refuse the query "%s"', async (query, message) => {
    const bed = await start();
    const { status, text } = await receive(bed, resultsPath(query));
    expect([status, JSON.parse(text)]).toEqual([400, refused(message)]);
    expect(bed.calls()).toEqual([]);
  });

  it('accept times as the API does', async () => {
    const bed = await start();
    await receive(bed, resultsPath('format=csv&start=2024-01-01T00:00:00%2B01:00&stop=1704150000000'));
    expect(bed.calls()).toEqual([
      postResults({ time_range: { start_date: 1_704_063_600_000, stop_date: 1_704_150_000_000 } }),
    ]);
  });

  it('refuse an id that no dataset has', async () => {
    const bed = await start();
    const { status, text } = await receive(bed, `/download/results/${'x'.repeat(201)}?format=csv`);
    expect([status, JSON.parse(text)]).toEqual([
      400,
      refused('The dataset id in the path is invalid. A ticket needs no Authorization header.'),
    ]);
  });

  it('refuse a token that is none', async () => {
    const bed = await start();
    const { status, headers, text } = await receive(bed, resultsPath('format=csv'), { authorization: 'Basic YTpi' });
    expect([status, headers['www-authenticate'], JSON.parse(text).errors[0].extensions.code]).toEqual([
      401,
      'Bearer',
      'UNAUTHENTICATED',
    ]);
    expect(bed.calls()).toEqual([]);
  });

  it('without a header, the path must end with a ticket for results', async () => {
    const bed = await start({ env: tickets });
    const invalid = refused('The download link is invalid. Request a new one.', 'UNAUTHENTICATED');
    const { body } = await bed.query(ofDataset('download { ticketUrl }'));
    const forFile = new URL(body.data.dataset.download.ticketUrl).pathname.slice('/download/'.length);
    const forResults = new URL(await fileTicketUrl(bed, 'rowsFile(format: CSV)')).pathname.slice(
      '/download/results/'.length,
    );
    for (const wrong of [
      resultsPath('format=csv'),
      `/download/results/${forFile}`,
      `/download/${forResults}`,
      `/download/results/${forResults}x`,
    ]) {
      const { status, text } = await receive(bed, wrong, {});
      expect([status, JSON.parse(text)]).toEqual([401, invalid]);
    }
    expect(bed.calls()).toEqual([]);
  });

  it('links expire', async () => {
    const bed = await start({ env: { ...tickets, DOWNLOAD_TICKET_SECONDS: '10' } });
    const url = await fileTicketUrl(bed, 'rowsFile(format: CSV)');
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 12_000 });
    const { status, text } = await receive(bed, url, {});
    expect([status, JSON.parse(text)]).toEqual([
      401,
      refused('The download link has expired. Request a new one.', 'UNAUTHENTICATED'),
    ]);
  });

  it('have no link without tickets, a token, or room for the ids', async () => {
    const off = await start();
    const query = ofDataset('results { rowsFile(format: CSV) { ticketUrl } }');
    expect((await off.query(query)).body.errors).toEqual([errorAt(path, 'FORBIDDEN')]);
    const on = await start({ env: tickets });
    const { body } = await on.query(query, { token: null });
    expect(body.errors[0].extensions).toMatchObject({ code: 'UNAUTHENTICATED' });
    const assetIds = Array.from({ length: 100 }, (_, index) => `${index}`.padEnd(200, 'x'));
    const many = `query ($ids: [ID!]!) { dataset(id: "${DATASET_ID}") { results(filter: { assetIds: $ids }) {
      rowsFile(format: CSV) { ticketUrl url } } } }`;
    const long = await on.query(many, { variables: { ids: assetIds } });
    expect(outline(long).errors).toEqual(['dataset.results.rowsFile REQUEST_LIMIT_EXCEEDED']);
    const fewer = await on.query(many, { variables: { ids: assetIds.slice(0, 35) } });
    expect(fewer.body.errors).toBeUndefined();
    expect(on.calls()).toEqual([]);
  });

  it('with the secret of a router, need it unless they have a ticket', async () => {
    const bed = await start({ env: { ...tickets, ROUTER_SECRET: 'the-secret-of-the-router-32-chars' } });
    const router = { 'router-authorization': 'the-secret-of-the-router-32-chars' };
    const { body } = await bed.query(ofDataset('results { rowsFile(format: CSV) { ticketUrl } }'), { headers: router });
    expect((await receive(bed, body.data.dataset.results.rowsFile.ticketUrl, {})).status).toBe(200);
    expect((await receive(bed, resultsPath('format=csv'), bearer)).status).toBe(403);
    expect((await receive(bed, resultsPath('format=csv'), { ...bearer, ...router })).status).toBe(200);
  });

  it.each([
    ['long', [postResults({})]],
    ['wide', [postResults({})]],
  ])('that the service refuses have its error (%s)', async (layout, calls) => {
    const bed = await start();
    bed.simulator.intercept(() => ({ status: 403, body: '{"error":"ACCESS_DENIED"}' }));
    const { status, text } = await receive(bed, resultsPath(`format=csv&layout=${layout}`));
    expect([status, JSON.parse(text)]).toEqual([
      403,
      {
        errors: [
          {
            message: expect.any(String),
            extensions: {
              code: 'FORBIDDEN',
              rest: expect.objectContaining({ operation: 'getDatasetResults', status: 403, label: 'ACCESS_DENIED' }),
            },
          },
        ],
      },
    ]);
    expect(bed.calls()).toEqual(calls);
  });

  const rows = (...all: unknown[]) => [{ ...assetResult('a'), results: all }];
  const metric = (members: object) => rows({ value_date: 'd', metrics: [members] });

  it.each<[string, unknown]>([
    ['that are no object', []],
    ['whose assets are no list', { assets: {} }],
    ['with an asset that is no object', { assets: [assetResult('a'), 5] }],
    ['with an asset without an id', { assets: [{ ...assetResult('a'), asset_id: null }] }],
    ['with another type of an id', { assets: [{ ...assetResult('a'), asset_id: 5 }] }],
    ['with another type of a name', { assets: [{ ...assetResult('a'), asset_name: 5 }] }],
    ['with a version of more than 64 bits', '{"assets":[{"asset_id":"a","asset_version":9223372036854775808}]}'],
    ['with rows that are no list', { assets: [{ ...assetResult('a'), results: 'none' }] }],
    ['with a row that is no object', { assets: rows(5) }],
    ['with another type of a date', { assets: rows({ value_date: 5 }) }],
    ['with metrics that are no list', { assets: rows({ metrics: {} }) }],
    ['with a metric that is no object', { assets: rows({ metrics: [5] }) }],
    ['with another type of a value', { assets: metric({ name: 'm', value: '1' }) }],
    ['with another type of a name of a metric', { assets: metric({ name: 1, value: 1 }) }],
    ['with a number that is not finite', '{"assets":[{"asset_id":"a","results":[{"metrics":[{"value":1e999}]}]}]}'],
    ['with a second list of assets', '{"assets":[],"assets":[]}'],
    ['with a second list of rows of an asset', '{"assets":[{"asset_id":"a","results":[{}],"results":[{}]}]}'],
    [
      'with a second name of an asset',
      '{"assets":[{"asset_id":"a","asset_name":"b","asset_version":1,"results":[{}],"asset_name":"c"}]}',
    ],
    ['that are cut', '{"assets":[{"asset_id":"a"}'],
    ['that go on after their end', '{"assets":[]}{}'],
    ['that are not UTF-8', Buffer.from('{"assets":[{"asset_id":"\xff"}]}', 'latin1')],
  ])('of results %s are an error, and no file', async (_title, content) => {
    const bed = await start();
    const isText = typeof content === 'string' || Buffer.isBuffer(content);
    bed.simulator.intercept(() => ({ body: isText ? content : JSON.stringify(content) }));
    for (const layout of ['long', 'wide']) {
      const { status, text } = await receive(bed, resultsPath(`format=csv&layout=${layout}`));
      expect([status, JSON.parse(text).errors[0].extensions]).toEqual([
        502,
        {
          code: 'UPSTREAM_INVALID_RESPONSE',
          rest: expect.objectContaining({ operation: 'getDatasetResults', status: 200 }),
        },
      ]);
    }
  });

  it('ignore what is not in the file', async () => {
    const bed = await start();
    const odd = { ...assetResult('a'), asset_categories: 5, parent_asset_version: 'x', results: [], more: [1e3] };
    bed.simulator.intercept(() => ({ body: JSON.stringify({ assets: [odd], processing_id: 5 }) }));
    expect(await receive(bed, resultsPath('format=csv'))).toMatchObject({ status: 200, text: HEADER });
  });

  it.each([
    ['are invalid', '5]}'],
    ['are cut', ''],
  ])('break off where results %s after the first bytes', async (_title, end) => {
    const bed = await start();
    bed.simulator.intercept(() => ({ body: `${cut},${end}` }));
    const { status, text, isComplete } = await receive(bed, resultsPath('format=csv'));
    expect([status, isComplete, text.startsWith(`${HEADER}a,Field a,1,day 0,m,0\r\n`)]).toEqual([200, false, true]);
    const gzip = await receive(bed, resultsPath('format=csv'), { ...bearer, 'accept-encoding': 'gzip' });
    expect([gzip.status, gzip.isComplete]).toEqual([200, false]);
    bed.simulator.intercept(() => undefined);
    expect((await receive(bed, resultsPath('format=csv&assetId=a'))).isComplete).toBe(true);
  });

  /** A service that sends the beginning of large results, and calls back with the connection. */
  async function startBroken(onSent: (socket: Socket) => void) {
    const serviceUrl = await listen((socket) => {
      socket.on('error', () => {});
      socket.once('data', () => {
        socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${cut.length + 9}\r\n\r\n${cut}`, () => onSent(socket));
      });
    });
    return start({ serviceUrl });
  }

  it.each([
    ['format=parquet', '5]}'],
    ['format=arrow', ''],
    ['format=csv&layout=wide', '5]}'],
  ])('are an error where results are held, and are invalid at their end: %s', async (query, end) => {
    const bed = await start();
    bed.simulator.intercept(({ operation }) =>
      operation === 'getDatasetResults' ? { body: `${cut},${end}` } : undefined,
    );
    const { status, text } = await receive(bed, resultsPath(query));
    expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([502, 'UPSTREAM_INVALID_RESPONSE']);
  });

  it('break off where the connection to the service breaks', async () => {
    const bed = await startBroken((socket) => socket.end());
    expect(await receive(bed, resultsPath('format=csv'))).toMatchObject({ status: 200, isComplete: false });
  });

  it('end the call when the client leaves', async () => {
    const { opened: closed, open: close } = gate();
    const bed = await startBroken((socket) => socket.once('close', close));
    const url = new URL(resultsPath('format=csv'), bed.subgraph.url);
    const request = get(url, { agent: false, headers: bearer }, () => request.destroy());
    request.on('error', () => {});
    await closed;
    await eventually(() => expect(bed.log.join()).toContain('"failure":"cancelled"'));
  });

  it('hold no asset: each may be larger than UPSTREAM_MAX_BYTES, but not the results where they are held', async () => {
    const size = JSON.stringify(largeAsset('a')).length;
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: String(size * 5) } });
    const assets = Array.from({ length: 30 }, (_, index) => JSON.stringify(largeAsset(`a${index}`))).join(',');
    const body = `{"assets":[${assets}]}`;
    bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
    const file = await receive(bed, resultsPath('format=csv'));
    expect([file.isComplete, file.text.split('\r\n').length]).toEqual([true, 30 * 4000 + 2]);
    for (const [query, advice] of [
      ['format=csv&layout=wide', 'use the layout LONG, or a filter'],
      ['format=parquet', 'use CSV or NDJSON, or a filter'],
      ['format=arrow&layout=wide', 'use CSV or NDJSON in the layout LONG, or a filter'],
    ]) {
      const held = await receive(bed, resultsPath(`${query}`));
      expect([held.status, JSON.parse(held.text).errors[0]]).toMatchObject([
        502,
        {
          message: `The response of the dataset service is too large (UPSTREAM_MAX_BYTES is ${size * 5}): ${advice}.`,
          extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' },
        },
      ]);
    }
    const small = await start({ env: { UPSTREAM_MAX_BYTES: String(size - 100) }, serviceUrl: bed.simulator.url });
    expect((await receive(small, resultsPath('format=csv'))).text).toBe(file.text);
  });

  it.each(['csv', 'ndjson', 'parquet', 'arrow'])(
    'of a row or an attribute of more than a megabyte are an error, and no file: %s',
    async (format) => {
      const bed = await start({ env: { LOG_LEVEL: 'silent' } });
      const long = 'x'.repeat(2 ** 20);
      for (const asset of [
        { asset_id: 'a', results: [{ value_date: long }] },
        { asset_id: 'a', asset_name: long, results: [] },
      ]) {
        const body = JSON.stringify({ assets: [asset] });
        bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
        const { status, text } = await receive(bed, resultsPath(`format=${format}`));
        expect([status, JSON.parse(text).errors]).toMatchObject([
          502,
          [
            {
              message:
                'The response of the dataset service is too large (the maximum of bytes of a row or an attribute is 1048576).',
              extensions: { code: 'UPSTREAM_RESPONSE_TOO_LARGE' },
            },
          ],
        ]);
      }
    },
  );

  it('count as downloads', async () => {
    const bed = await start({ env: { MAX_DOWNLOADS: '1' } });
    const { opened, open } = gate();
    bed.simulator.intercept(async () => {
      await opened;
      return undefined;
    });
    const first = receive(bed, resultsPath('format=csv'));
    await eventually(() => expect(bed.calls()).toHaveLength(1));
    expect(await receive(bed, resultsPath('format=csv'))).toMatchObject({ status: 503 });
    open();
    expect(await first).toMatchObject({ status: 200, isComplete: true });
  });

  it.each([
    ['parquet', 'long'],
    ['parquet', 'wide'],
    ['arrow', 'long'],
    ['arrow', 'wide'],
  ])('have the error of the metadata, before the results are asked for (%s, %s)', async (format, layout) => {
    const bed = await start({ datasets: [{ ...dataset, metadata: { id: 'other' } }] });
    const { status, text } = await receive(bed, resultsPath(`format=${format}&layout=${layout}`));
    expect([status, JSON.parse(text).errors[0].extensions.rest.operation]).toEqual([404, 'getDatasetMetadata']);
    expect(bed.calls()).toEqual([`GET /v1/collection/dataset/summary/${DATASET_ID}`]);
  });
});
