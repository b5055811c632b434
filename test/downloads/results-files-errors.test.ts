import { describe, expect, it } from 'vitest';
import { errorAt } from '../support/expected-errors.ts';
import {
  assetResult,
  DATASET_ID,
  dataset,
  ofDataset,
  outline,
  postResults,
  respondWith,
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

describe('3.43 Results as files', () => {
  const badQueries = [
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
  ] as const;

  it('refuse a query with a wrong parameter', async () => {
    const bed = await start();
    for (const [query, message] of badQueries) {
      const { status, text } = await receive(bed, resultsPath(query));
      expect([query, status, JSON.parse(text)]).toEqual([query, 400, refused(message)]);
    }
    expect(bed.calls()).toEqual([]);
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

  it('that the service refuses have its error', async () => {
    const bed = await start();
    bed.simulator.intercept(() => ({ status: 403, body: '{"error":"ACCESS_DENIED"}' }));
    const { status, text } = await receive(bed, resultsPath('format=csv&start=2024-01-01T00:00:00%2B01:00'));
    const rest = expect.objectContaining({ operation: 'getDatasetResults', status: 403, label: 'ACCESS_DENIED' });
    expect([status, JSON.parse(text).errors]).toEqual([
      403,
      [{ message: expect.any(String), extensions: { code: 'FORBIDDEN', rest } }],
    ]);
    expect(bed.calls()).toEqual([postResults({ time_range: { start_date: 1_704_063_600_000 } })]);
  });

  const rows = (...all: unknown[]) => [{ ...assetResult('a'), results: all }];
  const metric = (members: object) => rows({ value_date: 'd', metrics: [members] });

  it.each<[string, unknown]>([
    ['with another type of a value', { assets: metric({ name: 'm', value: '1' }) }],
    ['with a number that is not finite', '{"assets":[{"asset_id":"a","results":[{"metrics":[{"value":1e999}]}]}]}'],
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
    const bed = await start();
    bed.simulator.intercept(() => ({ body: `${cut}`.padEnd(cut.length + 9), cutAfterBytes: cut.length }));
    expect(await receive(bed, resultsPath('format=csv'))).toMatchObject({ status: 200, isComplete: false });
  });

  it('need the memory of an asset only if its attributes come behind its rows', async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent', MEMORY_BUDGET: '8000000', UPSTREAM_MAX_BYTES: '1000000' } });
    const rows = Array(400_000).fill('{"value_date":"d","metrics":[{"name":"m","value":1}]}');
    const receiveOf = (asset: string) => {
      bed.simulator.intercept(() => ({ body: `{"assets":[${asset}]}` }));
      return receive(bed, resultsPath('format=csv'));
    };
    const before = await receiveOf(`{"asset_id":"a","asset_name":null,"asset_version":null,"results":[${rows}]}`);
    expect([before.isComplete, before.text.split('\r\n').length]).toEqual([true, 1 + 400_000 + 1]);
    const { status, text } = await receiveOf(`{"asset_id":"a","results":[${rows}],"asset_name":"A"}`);
    expect([status, JSON.parse(text).errors[0].extensions.code]).toEqual([502, 'UPSTREAM_RESPONSE_TOO_LARGE']);
  });

  it('hold no asset: each may be larger than UPSTREAM_MAX_BYTES, but not the results where they are held', async () => {
    const size = JSON.stringify(largeAsset('a')).length;
    const bed = await start({ env: { UPSTREAM_MAX_BYTES: String(size * 5) } });
    const assets = Array.from({ length: 30 }, (_, index) => JSON.stringify(largeAsset(`a${index}`))).join(',');
    const body = `{"assets":[${assets}]}`;
    bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
    const file = await receive(bed, resultsPath('format=csv'));
    const some = await receive(bed, resultsPath('format=csv&layout=wide&metric=m'));
    for (const { isComplete, text } of [file, some])
      expect([isComplete, text.split('\r\n').length]).toEqual([true, 30 * 4000 + 2]);
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

  it.each(['parquet', 'arrow'])(
    'have the error of the metadata, before the results are asked for: %s',
    async (format) => {
      const bed = await start({ datasets: [{ ...dataset, metadata: { id: 'other' } }] });
      const { status, text } = await receive(bed, resultsPath(`format=${format}`));
      expect([status, JSON.parse(text).errors[0].extensions.rest.operation]).toEqual([404, 'getDatasetMetadata']);
      expect(bed.calls()).toEqual([`GET /v1/collection/dataset/summary/${DATASET_ID}`]);
    },
  );

  it.each([
    ['csv', 10_000],
    ['ndjson', 10_000],
    ['parquet', 1000],
    ['arrow', 1000],
  ])('as %s have %i columns of metrics, and no more', async (format, most) => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    const ask = async (count: number, layout: string) => {
      const metrics = Array.from({ length: count }, (_, value) => ({ name: `m${value}`, value }));
      respondWith(bed.simulator, { results: { assets: rows({ metrics }) } });
      return receive(bed, resultsPath(`format=${format}&layout=${layout}`));
    };
    expect((await ask(most, 'wide')).status).toBe(200);
    const { status, text } = await ask(most + 1, 'wide');
    const message = `The response of the dataset service is too large (the maximum of columns is ${most}): use the layout LONG.`;
    const extensions = { code: 'UPSTREAM_RESPONSE_TOO_LARGE' };
    expect([status, JSON.parse(text).errors]).toMatchObject([502, [{ message, extensions }]]);
    expect((await ask(most + 1, 'long')).status).toBe(200);
  });
});
