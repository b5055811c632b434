import { describe, expect, it } from 'vitest';
import { assetResult, DATASET_ID, getSummary, postResults, respondWith, start } from '../../test/support/harness.ts';
import { startProgram } from '../../test/support/process.ts';
import { ask } from './ask.ts';
import { answering, complete, JULY, startDemo, TEST_TOKEN, weather } from './cli-ask.ts';

const OVERVIEW = `Dataset           ${weather}
Name              Daily weather, Seattle and New York
Description       Precipitation (mm), highest and lowest temperature (°C) and wind (m/s) of each day at two stations.
Assets            2
Start             2012-01-01T00:00:00.000Z (1325376000000, taken as milliseconds)
Stop              2015-12-31T00:00:00.000Z (1451520000000, taken as milliseconds)
Sharing           OWNED
Processing        Daily weather (daily-weather)
Source            NOAA Climate Data Online (noaa-climate-data-online)
Attribution       NOAA Climate Data Online; U.S. government work
Attribution file  SOURCES.md
Metrics           precipitation, temp_max, temp_min, wind

ASSET                  NAME                     VER  CATEGORIES                       CENTROID  ROWS
seattle-tacoma         Seattle-Tacoma             1  weather station, airport  47.449 -122.309  1461
new-york-central-park  New York (Central Park)    1  weather station, park      40.779 -73.969  1461
`;

describe('ask in a pipe', () => {
  it('shows what a dataset is and its assets, by two REST calls, and nothing but text', async () => {
    const bed = await startDemo();
    expect(await ask(bed, [weather])).toEqual(complete(OVERVIEW));
    expect(bed.calls().toSorted()).toEqual([getSummary(weather), postResults({}, weather)]);
  });

  it('asks a subgraph with other names, if it is told the root field', async () => {
    const bed = await startDemo({
      SCHEMA_NAMES: 'Query.dataset:platformDataset,TimeRangeInput:Range,PeriodUnit:Period',
    });
    const env = { SCHEMA_NAMES: 'Query.dataset:platformDataset' };
    expect(await ask(bed, [weather], { env })).toEqual(complete(OVERVIEW));
    const { stdout } = await ask(bed, [weather, '--json'], { env });
    expect(JSON.parse(stdout)).toMatchObject({ platformDataset: { id: weather } });
    expect(await ask(bed, [weather])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('Cannot query field "dataset" on type "Query".'),
    });
  });

  it('takes a time ago for a bound', async () => {
    const bed = await startDemo();
    const before = Date.now();
    for (const from of ['-36h', '-30d', '-2w', '-6m', '-1y']) await ask(bed, [weather, '--csv', '--from', from]);
    const after = Date.now();
    const hours = 3_600_000;
    const starts = (bed.filters() as { time_range: { start_date: number } }[]).map(
      ({ time_range }) => time_range.start_date,
    );
    expect(starts).toHaveLength(5);
    // Months and years are those of the calendar.
    const ranges = [
      [36, 36],
      [720, 720],
      [336, 336],
      [181 * 24, 184 * 24],
      [365 * 24, 366 * 24],
    ] as const;
    for (const [index, [least, most]] of ranges.entries()) {
      expect(starts[index]).toBeGreaterThanOrEqual(before - most * hours);
      expect(starts[index]).toBeLessThanOrEqual(after - least * hours);
    }
  });

  it('passes assets and the bounds of time on, a date as its day in UTC, and a month as all of it', async () => {
    const bed = await startDemo();
    const args = [weather, '--asset', 'seattle-tacoma', '--asset', 'seattle-tacoma', '--metric', 'wind'];
    await ask(bed, [...args, '--from', '2015-07-01', '--to', '2015-07-01']);
    await ask(bed, [...args, '--from', '2015-07-01T02:00:00.5+02:00', '--to', '2015-07-01T00:00:01Z']);
    await ask(bed, [...args, '--from', '2015-07', '--to', '2015-12']);
    await ask(bed, [...args, '--from', '2015-07-01T00:00Z', '--to', '2015-06-30T23:59:60-01']);
    const day = Date.parse('2015-07-01T00:00:00Z');
    expect(bed.filters()).toEqual([
      { mo_ids: ['seattle-tacoma'], time_range: { start_date: day, stop_date: day + 86_399_999 } },
      { mo_ids: ['seattle-tacoma'], time_range: { start_date: day + 500, stop_date: day + 1000 } },
      { mo_ids: ['seattle-tacoma'], time_range: { start_date: day, stop_date: Date.parse('2016-01-01') - 1 } },
      { mo_ids: ['seattle-tacoma'], time_range: { start_date: day, stop_date: day + 3_600_000 } },
    ]);
  });

  it('gives CSV and JSON of the chosen metrics', async () => {
    const bed = await startDemo();
    const args = [weather, '--metric', 'temp_max', '--metric', 'wind', ...JULY, '--asset', 'seattle-tacoma'];
    const rows = [
      'asset_id,asset_name,asset_version,value_date_utc,temp_max,wind',
      'seattle-tacoma,Seattle-Tacoma,1,2015-07-01,32.2,4.3',
      'seattle-tacoma,Seattle-Tacoma,1,2015-07-02,33.9,3.4',
      'seattle-tacoma,Seattle-Tacoma,1,2015-07-03,33.3,2.6',
      '',
    ];
    expect(await ask(bed, [...args, '--csv'])).toEqual(complete(rows.join('\r\n')));
    const { stdout } = await ask(bed, [...args, '--json']);
    expect(JSON.parse(stdout).dataset).toMatchObject({
      id: weather,
      startDate: '1325376000000',
      results: {
        series: {
          nodes: [
            {
              asset: { assetId: 'seattle-tacoma' },
              version: '1',
              columns: {
                valueDates: ['2015-07-01', '2015-07-02', '2015-07-03'],
                metrics: [
                  { name: 'temp_max', values: [32.2, 33.9, 33.3] },
                  { name: 'wind', values: [4.3, 3.4, 2.6] },
                ],
              },
            },
          ],
        },
      },
    });
  });

  it('gives every number digit for digit and every text as it is, in CSV', async () => {
    const numbers = ['1e400', '0.10000000000000000555', '-0.0', '9007199254740993', '1E+2', 'null'];
    const name = 'A "B", C\n=\u00e9\u{1f30d}';
    const asset = { assetId: '=a', name };
    const url = await answering(`{"data":{"dataset":{"id":"x","name":null,"results":{"series":{"nodes":[{
      "asset":${JSON.stringify(asset)},"version":"9223372036854775807","metricNames":["@m"],
      "columns":{"valueDates":["d0","d1","d2","d3","d4",null],"metrics":[{"name":"@m","values":[ ${numbers.join(' , ')} ]}]}
    }]}}}}}`);
    const cells = [...numbers.slice(0, -1).map((number, day) => `d${day},${number}`), ','];
    expect(await ask(url, ['x', '--csv'])).toEqual(
      complete(
        [
          "asset_id,asset_name,asset_version,value_date_utc,'@m",
          ...cells.map((cell) => `'=a,"A ""B"", C\n=\u00e9\u{1f30d}",'9223372036854775807,${cell}`),
          '',
        ].join('\r\n'),
      ),
    );
  });

  it('hands on the bytes of data as they are, whatever they are', async () => {
    const data = '{"dataset": {"id":"x",  "name":"\\u00e9\\ud83c","results":{"series":{"nodes":[1.50, 1e400]}}} }';
    const url = await answering(`{ "extensions": {"a":["}"]}, "data" : ${data} , "more":[{}]}\n`);
    expect(await ask(url, ['x', '--json'])).toEqual(complete(`${data}\n`));
  });

  it('leaves the cell of a missing value empty, where assets differ in their metrics', async () => {
    const bed = await start();
    const of = (id: string, metric: string) => ({
      ...assetResult(id),
      results: [{ value_date: '2024', metrics: [{ name: metric, value: 1 }] }],
    });
    respondWith(bed.simulator, { results: { assets: [of('a', 'x'), of('b', 'y')] } });
    expect((await ask(bed, [DATASET_ID, '--csv'], TEST_TOKEN)).stdout.split('\r\n')).toEqual([
      'asset_id,asset_name,asset_version,value_date_utc,x,y',
      'a,Field a,1,2024-01-01,1,',
      'b,Field b,1,2024-01-01,,1',
      '',
    ]);
    const { stdout } = await ask(bed, [DATASET_ID], TEST_TOKEN);
    expect(stdout.split('\n').slice(-4)).toEqual([
      'ASSET  NAME     VER  CATEGORIES   CENTROID  AREA m2  ROWS  METRICS',
      'a      Field a    1  field       45.5 7.25   1200.5     1  x',
      'b      Field b    1  field       45.5 7.25   1200.5     1  y',
      '',
    ]);
  });

  it('ends quietly and well when the reader of its output has enough', async () => {
    const bed = await startDemo();
    const env = { DATASET_SUBGRAPH_URL: bed.subgraph.url, DATASET_TOKEN: 'demo-token' };
    const command = `'${process.execPath}' ask/cli.ts ask ${weather} --csv | head -n 2; echo "\${PIPESTATUS[0]}"`;
    expect(await startProgram('bash', ['-c', command], { env }).ended).toEqual(
      complete(
        'asset_id,asset_name,asset_version,value_date_utc,precipitation,temp_max,temp_min,wind\r\nseattle-tacoma,Seattle-Tacoma,1,2012-01-01,0,12.8,5,4.7\r\n0\n',
      ),
    );
  });
});
