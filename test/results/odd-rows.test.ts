import { describe, expect, it } from 'vitest';
import { compareOn } from '../oracle/random-bodies.ts';
import { startServer } from '../oracle/server.ts';
import { DATASET_ID, ofDataset, start } from '../support/harness.ts';
import { assets, rows } from '../support/results-bodies.ts';

describe('3 Rows', () => {
  it.each<[string, string, odd?: number]>([
    ['white space', '\n{ "assets" :\t[ { "asset_id" : "a" , "results" : [ {\r\n} , { "metrics" : [ ] } ] } ] } '],
    ['a byte-order mark', `\ufeff${assets('[]')}`],
    [
      'fields in another order',
      '{"assets":[{"results":[{"metrics":[{"value":1,"name":"m"}],"value_date":"d"}],"asset_id":"a"}]}',
    ],
    [
      'unknown fields',
      '{"x":[{"y":[{}]}],"assets":[{"asset_id":"a","x":1,"x":2,"results":[{"__proto__":{"name":5}}]}]}',
    ],
    ['absent fields', '{"assets":[{"asset_id":"a"},{"asset_id":"b","results":[{},{"metrics":[{}]}]}]}'],
    ['nulls', '{"assets":[{"asset_id":"a","asset_version":null,"results":null},null]}'],
    [
      'nulls in rows',
      assets('[null,{"value_date":null,"metrics":null},{"metrics":[null,{"name":null,"value":null}]},null]'),
    ],
    ['a null behind usual metrics', rows('[{"name":"m","value":1},{"name":"n","value":null}]')],
    ['metrics that are repeated', rows('[{"name":"m","value":1},{"name":"m","value":2}]')],
    [
      'texts with escapes',
      '{"assets":[{"asset_id":"\\u0061","asset_name":"\\ud800\\n","results":[{"value_date":"\\u0064"}]}]}',
    ],
    ['numbers in any form', rows('[{"name":"m","value":0.0e5},{"name":"n","value":-1E+2}]')],
    [
      'numbers of many digits',
      rows(`[{"name":"m","value":${'9'.repeat(300)}},{"name":"n","value":0.${'1'.repeat(300)}}]`),
    ],
    ['versions of 64 bits', '{"assets":[{"asset_id":"a","asset_version":9223372036854775807,"results":[]}]}'],
    [
      'several entries of an asset',
      '{"assets":[{"asset_id":"a","asset_version":1},{"asset_id":"a","asset_version":2,"results":[]}]}',
    ],
    ['no assets', '{"assets":[]}'],
    ['negative zeros', rows('[{"name":"m","value":-0},{"name":"n","value":-0.0},{"name":"k","value":-1e-400}]'), 1],
    [
      'names that are escaped',
      '{"ass\\u0065ts":[{"asset\\u005fid":"a","r\\u0065sults":[{"value\\u005fdate":"d","metric\\u0073":[{"n\\u0061me":"m","valu\\u0065":1}]}]}]}',
    ],
    [
      'members that are repeated, of which the last one is as it should be',
      `{"assets":5,"assets":[{"asset_id":5,"asset_id":"a","asset_name":[],"asset_name":"N","results":{},
        "results":[{"value_date":5,"metrics":[5],"value_date":"d","metrics":[{"name":5,"value":"x","name":"m","value":1}]}]}]}`,
      1,
    ],
    ['entries of an earlier list that make no sense', '{"assets":[5,{}],"assets":[{"asset_id":"a","results":[]}]}'],
    ['a thousand levels of nesting', `{"x":${'[{"y":'.repeat(499)}1${'}]'.repeat(499)},"assets":[{"asset_id":"a"}]}`],
    [
      'long values that nobody asks for',
      `{"x":"${'x'.repeat(600_000)}","assets":[{"asset_id":"a","x":[${'1,'.repeat(400_000)}1],"results":[]}],"y":1${'0'.repeat(600_000)}}`,
    ],
    [
      'much white space',
      `{${' '.repeat(600_000)}"assets"${'\n'.repeat(600_000)}:[{"asset_id":"a"}${'\t'.repeat(600_000)}]}`,
    ],
  ])('are read, whatever is strange about them: %s', async (_what, body, odd = 0) => {
    const server = await startServer({});
    const selection = `asset { assetId name version } version rowCount metricNames
      rows { valueDate metrics { name value } value(metric: "m") some: metrics(metrics: ["n"]) { value } }
      columns { rowCount valueDates metrics { name values } }`;
    const document = `query ($id: ID!) { dataset(id: $id) { results { series { nodes { ${selection} } } } } }`;
    const served = { bytes: () => Buffer.from(body), isFiltered: true };
    expect(await compareOn(server, served, document, { id: DATASET_ID }, { status: 200, body: '{}' })).toBe(true);
    expect(server.bed.subgraph.oddRows.count).toBe(odd);
  });

  it('are odd one by one', async () => {
    const bed = await start();
    const odd = '{"asset_id":"odd","asset_name":5,"results":[{"metrics":[{"name":"m","value":"none"}]}]}';
    const rest = '{"asset_id":"b","results":[{"metrics":[{"name":"m","value":2}]}]},{"results":[]},5';
    bed.simulator.intercept(() => ({
      body: `{"assets":[{"asset_id":"a","results":[{"metrics":[{"name":"m","value":1},5]}]},${odd},${rest}]}`,
    }));
    const series = (assetId: string) =>
      `${assetId}: asset(assetId: "${assetId}") { series { rows { metrics { value } } } }`;
    const { body } = await bed.query(ofDataset(['a', 'odd', 'b'].map(series).join(' ')));
    const seriesWith = (value: number | null) => ({ series: { rows: [{ metrics: [{ value }] }] } });
    expect(body.data.dataset).toEqual({ a: seriesWith(1), odd: seriesWith(null), b: seriesWith(2) });
    // What is found while writing comes last.
    expect(body.errors.map(({ path }: { path: unknown }) => path)).toEqual([
      ['dataset', 'a'],
      ['dataset', 'odd', 'series', 'rows', 0, 'metrics', 0, 'value'],
    ]);
    expect(bed.subgraph.oddRows.count).toBe(2);
    // All three assets come from the same response.
    expect(bed.filters()).toHaveLength(1);
  });
});
