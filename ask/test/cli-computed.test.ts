import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DATASET_ID, respondWith, start } from '../../test/support/harness.ts';
import { ask, askAtTerminal } from './ask.ts';
import { co2, complete, emptyDirectory, startDemo, TEST_TOKEN, weather } from './cli-ask.ts';

const QUARTER = ['--from', '2015-01-01', '--to', '2015-03-31'];

/** A series of the metric `m` with these dates. */
const seriesOf = (id: string, dates: readonly string[], value = (row: number) => row) => ({
  asset_id: id,
  asset_name: `Asset ${id}`,
  asset_version: 1,
  results: dates.map((value_date, row) => ({ value_date, metrics: [{ name: 'm', value: value(row) }] })),
});

/** A subgraph of a service that has these assets. */
async function serving(...assets: readonly object[]) {
  const bed = await start();
  respondWith(bed.simulator, { results: { assets } });
  return bed;
}

describe('ask --every', () => {
  it('prints a table of the periods for each asset and metric, of one call', async () => {
    const bed = await startDemo();
    expect(await ask(bed, [weather, '--every', 'month', '--metric', 'temp_max', ...QUARTER])).toEqual(
      complete(`Daily weather, Seattle and New York

Seattle-Tacoma: temp_max
DATE        COUNT    SUM     MEAN       SD   MIN   MAX
2015-01-01     31  314.8  10.1548  3.01382     5  17.2
2015-02-01     28  350.5  12.5179  1.93336   9.4  16.7
2015-03-01     31  445.7  14.3774  2.44919  10.6  20.6

New York (Central Park): temp_max
DATE        COUNT    SUM      MEAN       SD   MIN   MAX
2015-01-01     31   91.5   2.95161  4.50626  -5.5  12.8
2015-02-01     28   10.6  0.378571  3.30058    -6   6.1
2015-03-01     31  229.6   7.40645  4.23701  -3.8  16.7
`),
    );
    expect(bed.filters()).toHaveLength(1);
  });

  it('gives CSV with every digit, and JSON byte for byte, also in a file', async () => {
    const bed = await startDemo();
    const { cwd } = await emptyDirectory();
    const args = [weather, '--every', 'year', '--metric', 'wind', '--asset', 'seattle-tacoma', '--from', '2014-01-01'];
    const rows = [
      'asset_id,asset_name,asset_version,date_utc,metric,count,sum,mean,standard_deviation,minimum,maximum',
      'seattle-tacoma,Seattle-Tacoma,1,2014-01-01,wind,365,1236.5,3.3876712328767122,1.437915653353407,0.6,8.8',
      'seattle-tacoma,Seattle-Tacoma,1,2015-01-01,wind,365,1153.3,3.15972602739726,1.3279482295185603,0.5,8',
      '',
    ];
    expect(await ask(bed, [...args, '--csv'])).toEqual(complete(rows.join('\r\n')));
    expect(await ask(bed, [...args, '--csv', '--output', 'f'], { cwd })).toEqual(complete('f\n'));
    expect(await readFile(join(cwd, 'f'), 'utf8')).toBe(rows.join('\r\n'));
    const { stdout } = await ask(bed, [...args, '--json']);
    expect(JSON.parse(stdout).dataset.results.series.nodes).toMatchObject([
      {
        rowCount: 730,
        periods: { dates: ['2014-01-01', '2015-01-01'], metrics: [{ name: 'wind', minimums: [0.6, 0.5] }] },
      },
    ]);
  });

  it('has empty cells for a period without values', async () => {
    const bed = await serving(seriesOf('a', ['2024-01-31', '2024-03-01']));
    const { stdout } = await ask(bed, [DATASET_ID, '--every', 'month'], TEST_TOKEN);
    expect(stdout.split('\n').slice(-4)).toEqual([
      '2024-01-01      1    0     0   0    0    0',
      '2024-02-01      0',
      '2024-03-01      1    1     1   0    1    1',
      '',
    ]);
  });

  it('says of which row the date is none, and shows the other assets with exit code 5', async () => {
    const bed = await serving(seriesOf('a', ['2024-01-01', 'Q1']), seriesOf('b', ['2024-01-01']));
    for (const args of [[], ['--csv'], ['--json']]) {
      const { code, stdout, stderr } = await ask(bed, [DATASET_ID, '--every', 'week', ...args], TEST_TOKEN);
      expect([code, stdout.includes('Asset b')]).toEqual([5, true]);
      expect(stderr).toMatch(
        /^dataset-subgraph: [^\n]*row 1[^\n]*\(UPSTREAM_INVALID_RESPONSE, request [\w-]+\) At dataset\.results\.series\.nodes\.0\.periods\.\n$/,
      );
    }
  });
});

describe('ask --statistics', () => {
  it('prints a table of the metrics for each asset', async () => {
    const args = [weather, '--statistics', '--asset', 'seattle-tacoma', '--metric', 'wind', '--metric', 'temp_max'];
    expect(await ask(await startDemo(), args)).toEqual(
      complete(`Daily weather, Seattle and New York

Seattle-Tacoma
METRIC    COUNT  NULLS      SUM     MEAN       SD   MIN   MAX  FIRST  LAST
wind       1461      0   4735.3  3.24114  1.43733   0.4   9.5    4.7   3.5
temp_max   1461      0  24017.5  16.4391  7.34724  -1.6  35.6   12.8   5.6
`),
    );
  });

  it('gives CSV with every digit and the dates, and JSON', async () => {
    const bed = await startDemo();
    const args = [co2, '--statistics', '--metric', 'co2'];
    const { stdout } = await ask(bed, [...args, '--csv']);
    const [head, row] = stdout.split('\r\n');
    expect(head).toBe(
      'asset_id,asset_name,asset_version,metric,count,null_count,sum,mean,standard_deviation,minimum,maximum,first,last,first_date_utc,last_date_utc,minimum_date_utc,maximum_date_utc',
    );
    const { stdout: json } = await ask(bed, [...args, '--json']);
    const [{ name, count, nullCount, sum, mean, standardDeviation, minimum, maximum, first, last }] =
      JSON.parse(json).dataset.results.series.nodes[0].statistics;
    const numbers = [name, count, nullCount, sum, mean, standardDeviation];
    const values = [minimum, maximum, first, last].map(({ value }) => value);
    const dates = [first, last, minimum, maximum].map(({ valueDate }) => valueDate);
    expect(row).toBe(['mauna-loa-observatory', 'Mauna Loa Observatory', 1, ...numbers, ...values, ...dates].join(','));
  });

  it('guards CSV against formulas, and a terminal against control characters', async () => {
    const asset = { ...seriesOf('a', ['2024-01-01', '=1+\u001b[2J']), asset_name: '=x\u001b[2J' };
    const bed = await serving(asset);
    const { stdout } = await ask(bed, [DATASET_ID, '--statistics', '--csv'], TEST_TOKEN);
    expect(stdout).toContain("a,'=x\u001b[2J,1,m,2,0,1,0.5,0.5,0,1,,,,,2024-01-01,'=1+\u001b[2J\r\n");
    for (const args of [[], ['--csv'], ['--json']]) {
      const shown = await askAtTerminal(bed, [DATASET_ID, '--statistics', ...args], {
        ...TEST_TOKEN,
        env: { NO_COLOR: '1' },
      }).ended;
      // The first and the last value are errors, because of the date.
      expect([shown.code, shown.stdout]).toEqual([5, expect.not.stringContaining('\u001b')]);
    }
  });

  it('tells versions of an asset apart, and lists what a narrow terminal cannot show side by side', async () => {
    const series = seriesOf('a', ['2024-01-01', '2024-01-02']);
    const bed = await serving(series, { ...series, asset_version: 2 });
    const { stdout } = await ask(bed, [DATASET_ID, '--statistics'], TEST_TOKEN);
    expect(stdout.match(/^Asset a, version \d$/gm)).toHaveLength(2);
    const narrow = await askAtTerminal(bed, [DATASET_ID, '--statistics'], {
      ...TEST_TOKEN,
      columns: 40,
      env: { NO_COLOR: '1' },
    }).ended;
    expect(narrow.stdout).toMatch(/^METRIC {2}m\r\nCOUNT {3}2\r\n/m);
  });
});

describe('ask --points', () => {
  it('reduces CSV and JSON, and keeps the extremes', async () => {
    const bed = await startDemo();
    const args = [weather, '--points', '10', '--metric', 'wind', '--asset', 'seattle-tacoma'];
    expect(await ask(bed, [...args, '--csv'])).toEqual(
      complete(
        [
          'asset_id,asset_name,asset_version,value_date_utc,wind',
          'seattle-tacoma,Seattle-Tacoma,1,2012-01-01,4.7',
          'seattle-tacoma,Seattle-Tacoma,1,2012-12-17,9.5',
          'seattle-tacoma,Seattle-Tacoma,1,2012-12-31,2',
          'seattle-tacoma,Seattle-Tacoma,1,2013-10-23,0.4',
          'seattle-tacoma,Seattle-Tacoma,1,2013-12-30,2.6',
          'seattle-tacoma,Seattle-Tacoma,1,2013-12-31,1.7',
          'seattle-tacoma,Seattle-Tacoma,1,2014-01-11,8.8',
          'seattle-tacoma,Seattle-Tacoma,1,2014-12-31,3',
          'seattle-tacoma,Seattle-Tacoma,1,2015-01-10,0.5',
          'seattle-tacoma,Seattle-Tacoma,1,2015-12-31,3.5',
          '',
        ].join('\r\n'),
      ),
    );
    const [node] = JSON.parse((await ask(bed, [...args, '--json'])).stdout).dataset.results.series.nodes;
    expect([node.rowCount, node.columns.valueDates.length]).toEqual([1461, 10]);
  });
});
