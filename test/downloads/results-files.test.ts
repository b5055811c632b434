import { describe, expect, it } from 'vitest';
import {
  assetResult,
  DATASET_ID,
  dataset,
  getSummary,
  ofDataset,
  postResults,
  start,
  TOKEN,
} from '../support/harness.ts';
import { fileTicketUrl, fileUrl, receive, resultsPath, tickets } from '../support/results-files.ts';

const long = [
  'asset_id,asset_name,asset_version,value_date,metric,value',
  'a,Field a,1,2024-01-01,moisture,0.5',
  'a,Field a,1,2024-01-01,temperature,-1.5',
  'a,Field a,1,2024-01-02,moisture,1.5',
  'a,Field a,1,2024-01-02,temperature,-2.5',
  'a,Field a,1,2024-01-03,moisture,2.5',
  'a,Field a,1,2024-01-03,temperature,-3.5',
];
const lines = (...all: string[]) => all.map((line) => `${line}\r\n`).join('');
const onlyA = '(filter: { assetIds: ["a"] })';
const nameOf = (id: string, extension: string) =>
  new RegExp(`^attachment; filename=dataset-${id}-results-[0-9a-f]{8}\\.${extension}$`);

describe('3.43 Results as files', () => {
  it('a link with a ticket opens by itself, and has the filter', async () => {
    const bed = await start({ env: tickets });
    const url = await fileTicketUrl(bed, 'rowsFile(format: CSV)', onlyA);
    expect(url).toMatch(new RegExp(`^${new URL('/download/results/', bed.subgraph.url)}[\\w-]+(\\.[\\w-]*){4}$`));
    expect(bed.calls()).toEqual([]);
    const { status, headers, text, isComplete } = await receive(bed, url, {});
    expect([status, isComplete, text]).toEqual([200, true, lines(...long)]);
    expect(headers).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': expect.stringMatching(nameOf(DATASET_ID, 'csv')),
      'accept-ranges': 'none',
      'cache-control': 'no-store',
      'content-security-policy': "sandbox; default-src 'none'",
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(bed.calls()).toEqual([postResults({ mo_ids: ['a'] })]);
    expect(bed.simulator.requests[0]?.headers.authorization).toEqual([`Bearer ${TOKEN}`]);
  });

  it('a link without a secret has the filter in its query, and needs the token', async () => {
    const bed = await start();
    const filter = '(filter: { assetIds: ["a", "é&"], timeRange: { start: "-9223372036854775808", stop: 5 } })';
    const url = await fileUrl(bed, 'rowsFile(format: NDJSON, layout: WIDE)', filter);
    const query = 'format=ndjson&layout=wide&assetId=a&assetId=%C3%A9%26&start=-9223372036854775808&stop=5';
    expect(url).toBe(new URL(`/download/results/${DATASET_ID}?${query}`, bed.subgraph.url).href);
    expect(await receive(bed, url)).toMatchObject({ status: 200, text: '' });
    expect(bed.calls()).toEqual([
      `POST /v1/processingresult/dataset/${DATASET_ID} {"mo_ids":["a","é&"],"time_range":{"start_date":-9223372036854775808,"stop_date":5}}`,
    ]);
  });

  it.each([
    ['csv', 'csv', 'text/csv; charset=utf-8; header=present'],
    ['csv_spreadsheet', 'csv', 'text/csv; charset=utf-8; header=present'],
    ['ndjson', 'ndjson', 'application/x-ndjson'],
    ['parquet', 'parquet', 'application/vnd.apache.parquet'],
    ['arrow', 'arrow', 'application/vnd.apache.arrow.file'],
  ])('as %s have its media type and a name with .%s', async (format, extension, mediaType) => {
    const bed = await start();
    expect((await receive(bed, resultsPath(`format=${format}&layout=long`))).headers).toMatchObject({
      'content-type': mediaType,
      'content-disposition': expect.stringMatching(nameOf(DATASET_ID, extension)),
    });
  });

  it('have a name for each dataset, format and choice, which stays', async () => {
    const ids = [DATASET_ID, 'a/b', 'a_b'];
    const bed = await start({ datasets: ids.map((id) => ({ ...dataset, metadata: { ...dataset.metadata, id } })) });
    const queries = [
      'csv',
      'csv_spreadsheet',
      'csv&assetId=a',
      'csv&metric=moisture',
      'csv&layout=wide',
      'csv&start=5',
    ];
    const paths = ids.flatMap((id) => queries.map((query) => resultsPath(`format=${query}`, id)));
    const namesOf = () =>
      Promise.all(paths.map(async (path) => (await receive(bed, path)).headers['content-disposition']));
    const names = await namesOf();
    expect(new Set(names).size).toBe(paths.length);
    expect(await namesOf()).toEqual(names);
  });

  it.each([
    [['value_date', 'x', 'asset_id', 'value_date_2'], 'value_date_2,x,asset_id_2,value_date_2_2'],
    [['NDVI', 'ndvi', 'Ndvi', 'ndvi_2'], 'NDVI,ndvi_2,Ndvi_3,ndvi_2_2'],
  ])('name each column of a wide file differently, not only in case: %j', async (names, columns) => {
    const bed = await start();
    const metrics = names.map((name, value) => ({ name, value }));
    const asset = { ...assetResult('a'), results: [{ value_date: 'd', metrics }] };
    bed.simulator.intercept(() => ({ body: JSON.stringify({ assets: [asset] }) }));
    expect((await receive(bed, resultsPath('format=csv&layout=wide'))).text).toBe(
      lines(`asset_id,asset_name,asset_version,value_date,${columns}`, 'a,Field a,1,d,0,1,2,3'),
    );
  });

  it('of no assets have a header only, without a call', async () => {
    const bed = await start({ env: tickets });
    const url = await fileTicketUrl(bed, 'rowsFile(format: CSV, layout: WIDE)', '(filter: { assetIds: [] })');
    expect((await receive(bed, url, {})).text).toBe(lines('asset_id,asset_name,asset_version,value_date'));
    expect((await receive(bed, resultsPath('format=csv&assetId='))).text).toBe(lines(long[0] as string));
    expect(bed.calls()).toEqual([]);
  });

  it('beside other results share no call, and need none alone', async () => {
    const bed = await start({ env: tickets });
    const alone = await bed.query(
      ofDataset('id results { __typename rowsFile(format: PARQUET) { url ticketUrl } } name'),
    );
    expect(alone.body.data.dataset).toMatchObject({ name: 'Soil moisture', results: { __typename: 'DatasetResults' } });
    expect(bed.calls()).toEqual([getSummary()]);
    bed.simulator.clear();
    const both = await bed.query(
      ofDataset('results { processingId rowsFile(format: CSV) { url } series { totalCount } }'),
    );
    expect(both.body.data.dataset.results).toMatchObject({ processingId: 'p-1', series: { totalCount: 3 } });
    expect(bed.calls()).toEqual([postResults({})]);
  });

  it('of the dataset that the id of the path names', async () => {
    const id = 'a/b?c.d..é';
    const bed = await start({ datasets: [{ ...dataset, metadata: { ...dataset.metadata, id } }] });
    const { body } = await bed.query(ofDataset('results { rowsFile(format: CSV) { url } }'), { variables: { id } });
    const { status, headers } = await receive(bed, body.data.dataset.results.rowsFile.url);
    expect(status).toBe(200);
    expect(headers['content-disposition']).toMatch(nameOf('a_b_c_d___', 'csv'));
  });
});
