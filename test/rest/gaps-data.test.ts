import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, dataset, respondWith, start } from '../support/harness.ts';

const inDataset = (selection: string) => `{ dataset(id: "${DATASET_ID}") { ${selection} } }`;

// The decision: passed on as text; never parsed, sorted or filtered by.
describe('5 Gap: the format of value_date', () => {
  const dates = [
    '2024-01-02',
    '31/12/2023',
    'tomorrow',
    '',
    ' 2024 ',
    '1704067200000',
    '2024-W01',
    '\u0000é😀"\\',
    '2024-01-02',
  ];
  const rows = dates.map((value_date, index) => ({ value_date, metrics: [{ name: 'm', value: index }] }));

  it('passes any text through: never parsed, sorted or filtered by', async () => {
    const { simulator, query } = await start();
    respondWith(simulator, { results: { assets: [{ asset_id: 'a', results: rows }] } });
    const selection = 'rows { valueDate value(metric: "m") } columns { valueDates }';
    const series = {
      rows: rows.map(({ value_date }, index) => ({ valueDate: value_date, value: index })),
      columns: { valueDates: dates },
    };
    const range = 'timeRange: { start: "2024-01-02T00:00:00Z", stop: "2024-01-02T00:00:00Z" }';
    const { body } = await query(
      inDataset(
        `results(filter: { ${range} }) { series { nodes { ${selection} } } } asset(assetId: "a") { series(${range}) { ${selection} } }`,
      ),
    );
    expect(body).toEqual({ data: { dataset: { results: { series: { nodes: [series] } }, asset: { series } } } });
  });
});

// The decision: none is relied on.
describe('5 Gap: which fields are always present', () => {
  const metadata = `
    name description assetCount attributionText attributionFile sharing processing { id } source { name }
    startDate stopDate startDateTime stopDateTime
  `;
  const noMetadata = {
    name: null,
    description: null,
    assetCount: null,
    attributionText: null,
    attributionFile: null,
    sharing: null,
    processing: null,
    source: null,
    startDate: null,
    stopDate: null,
    startDateTime: null,
    stopDateTime: null,
  };
  const series =
    'version rowCount metricNames rows { valueDate value(metric: "m") metrics { name value } } columns { rowCount }';
  const noSeries = { version: null, rowCount: null, metricNames: null, rows: null, columns: null };
  const asset = 'assetId name version categories centroid { latitude } surfaceAreaM2 parent { name }';
  const noAttributes = {
    name: null,
    version: null,
    categories: null,
    centroid: null,
    surfaceAreaM2: null,
    parent: null,
  };

  it.each([
    ['an empty object', {}],
    ['nothing but nulls', nulls(dataset.metadata)],
  ])('relies on none of the metadata: %s', async (_case, answer) => {
    const { simulator, query } = await start();
    respondWith(simulator, { metadata: answer });
    expect((await query(inDataset(`id ${metadata}`))).body).toEqual({
      data: { dataset: { id: DATASET_ID, ...noMetadata } },
    });
  });

  it.each([
    ['an empty object', {}],
    ['nothing but nulls', { processing_id: null, source_id: null, assets: null }],
  ])('relies on none of the results: %s', async (_case, answer) => {
    const { simulator, query } = await start();
    respondWith(simulator, { results: answer });
    const document = inDataset(
      `results { processingId sourceId series { totalCount nodes { ${series} } } } asset(assetId: "a") { ${asset} series { ${series} } }`,
    );
    expect((await query(document)).body).toEqual({
      data: { dataset: { results: { processingId: null, sourceId: null, series: null }, asset: null } },
    });
  });

  it.each([
    ['an id and nothing else', { asset_id: 'a' }],
    ['nothing but nulls', { ...nulls(assetResult('a')), asset_id: 'a' }],
  ])('relies on none of an asset but its id: %s', async (_case, entry) => {
    const { simulator, query } = await start();
    respondWith(simulator, { results: { assets: [entry] } });
    const document = inDataset(
      `results { series { totalCount nodes { asset { ${asset} } ${series} } } } asset(assetId: "a") { ${asset} series { ${series} } }`,
    );
    const expected = { assetId: 'a', ...noAttributes };
    expect((await query(document)).body).toEqual({
      data: {
        dataset: {
          results: { series: { totalCount: 1, nodes: [{ asset: expected, ...noSeries }] } },
          asset: { ...expected, series: noSeries },
        },
      },
    });
  });

  it('relies on none of a row or of a metric', async () => {
    const { simulator, query } = await start();
    const rows = [
      {},
      { value_date: null, metrics: null },
      { metrics: [] },
      { metrics: [{}, { name: 'm' }, { value: 1 }] },
    ];
    respondWith(simulator, { results: { assets: [{ asset_id: 'a', results: rows }] } });
    const selection =
      'rowCount metricNames rows { valueDate value(metric: "m") metrics { name value } } columns { rowCount valueDates metrics { name values } }';
    const { body } = await query(inDataset(`asset(assetId: "a") { series { ${selection} } }`));
    const nothing = { valueDate: null, value: null };
    expect(body).toEqual({
      data: {
        dataset: {
          asset: {
            series: {
              rowCount: 4,
              metricNames: ['m'],
              rows: [
                { ...nothing, metrics: null },
                { ...nothing, metrics: null },
                { ...nothing, metrics: [] },
                {
                  ...nothing,
                  metrics: [
                    { name: null, value: null },
                    { name: 'm', value: null },
                    { name: null, value: 1 },
                  ],
                },
              ],
              columns: {
                rowCount: 4,
                valueDates: [null, null, null, null],
                metrics: [{ name: 'm', values: [null, null, null, null] }],
              },
            },
          },
        },
      },
    });
  });
});

// The decision: the raw `Int64`, and a derived `DateTime` in the unit that the operator says (`DATE_UNIT`).
describe('5 Gap: the unit of metadata dates', () => {
  it.each([
    [1_704_067_200, '1970-01-20T17:21:07.200Z', '2024-01-01T00:00:00.000Z'],
    [-1, '1969-12-31T23:59:59.999Z', '1969-12-31T23:59:59.000Z'],
    [0, '1970-01-01T00:00:00.000Z', '1970-01-01T00:00:00.000Z'],
  ])('gives %i as received, and a DateTime in the unit of DATE_UNIT', async (date, milliseconds, seconds) => {
    const units: readonly [Record<string, string>, string][] = [
      [{}, milliseconds],
      [{ DATE_UNIT: 'milliseconds' }, milliseconds],
      [{ DATE_UNIT: 'seconds' }, seconds],
    ];
    for (const [env, dateTime] of units) {
      const { simulator, query } = await start({ env });
      respondWith(simulator, { metadata: { start_date: date, stop_date: date } });
      const { body } = await query(inDataset('startDate startDateTime stopDate stopDateTime'));
      expect(body.data.dataset).toEqual({
        startDate: String(date),
        startDateTime: dateTime,
        stopDate: String(date),
        stopDateTime: dateTime,
      });
    }
  });
});

/** The object with nothing but nulls in it. */
function nulls(object: object): Record<string, null> {
  return Object.fromEntries(Object.keys(object).map((key) => [key, null]));
}
