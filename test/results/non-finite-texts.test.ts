import { describe, expect, it } from 'vitest';
import { ask, days, STATISTICS as FIELDS, invalid, LISTS, row, startWith } from '../support/aggregates.ts';
import { invalidAt } from '../support/expected-errors.ts';
import { DATASET_ID, postResults } from '../support/harness.ts';

const NODES = ['dataset', 'results', 'series', 'nodes'];
const BY_DATE = `{ dates metrics { ${LISTS} quantiles(of: [0.1, 0.5]) } }`;
const COMPUTED = `statistics { ${FIELDS} quantiles(of: 0.5) } byDate ${BY_DATE}
  series { nodes { rowCount metricNames statistics { ${FIELDS} } periods(every: MONTH) ${BY_DATE} } }`;

/*
 * Clause 3.45 of docs/contract.md in detail: texts of non-finite numbers.
 * Jackson, for one, writes a double that is NaN as the text "NaN". The texts NaN, Infinity and -Infinity in any case, and no
 * others, are missing values in whatever is computed from rows. `rows`, `columns` and `latest` have null with an error there,
 * as for any value of a wrong type.
 */
describe('3.45 Values that are NaN, Infinity or -Infinity as text', () => {
  it('are missing in what is computed from rows, without an error', async () => {
    const texts = ['NaN', 'nan', 'nAn', 'Infinity', 'INFINITY', '-Infinity', '-inFinitY', '\\u004eaN'];
    // A number beyond the range of doubles makes rows long.
    const bodyOf = (shown: (text: string) => string, other: string) => {
      const rows = texts.map((text, day) => {
        const metrics = [`{"name":"m","value":${shown(text)}}`, `{"name":"n","value":${day / 8}}`, other];
        return `{"value_date":"2024-01-0${day + 1}","metrics":[${metrics}]}`;
      });
      return `{"assets":[{"asset_id":"a","results":[${rows}]},{"asset_id":"b","results":[${rows.slice(0, 1)}]}]}`;
    };
    for (const other of ['{"name":"o"}', '{"name":"o","value":100000000000000000000.5}']) {
      const bed = await startWith(bodyOf(() => 'null', other));
      const expected = await ask(bed, COMPUTED);
      expect(expected).toMatchObject({ data: { statistics: [{ count: 0, nullCount: 9 }, {}, {}] }, errors: undefined });
      bed.simulator.intercept(() => ({ body: bodyOf((text) => `"${text}"`, other) }));
      expect(await ask(bed, COMPUTED)).toEqual(expected);
    }
  });

  it.each(['nan ', '+Infinity', 'Infinite', '-NaN', '', 'null', '1', 'ＮａＮ'])(
    'are of a wrong type if they are anything else: %j',
    async (text) => {
      const bed = await startWith([days('2024-01-01', [1, 'NaN', text]), days('2024-01-01', ['nan', 3])]);
      const { data, errors } = await ask(
        bed,
        'statistics { count } series { nodes { statistics { count nullCount } rows { value(metric: "m") } } }',
      );
      const rowsOf = (...values: (number | null)[]) => values.map((value) => ({ value }));
      const nodes = [
        { statistics: null, rows: rowsOf(1, null, null) },
        { statistics: [{ count: 1, nullCount: 1 }], rows: rowsOf(null, 3) },
      ];
      expect(data).toEqual({ statistics: null, series: { nodes } });
      const value = (node: number, at: number) => invalidAt([...NODES, node, 'rows', at, 'value']);
      const expected = [
        invalid('statistics', 'row 2 of series 0 has a value of a wrong type'),
        invalid('series.nodes.0.statistics', 'row 2 has a value of a wrong type'),
        ...[value(0, 1), value(0, 2), value(1, 0)],
      ];
      expect(errors).toHaveLength(expected.length);
      expect(errors).toEqual(expect.arrayContaining(expected));
    },
  );

  it('leave their place in the latest row to the value of another row of its date', async () => {
    const rows = [
      row('2024-01-02', { m: 'NaN', n: null, o: 'nan', p: 1 }),
      row('2024-01-02T00:00:00Z', { m: 5, n: 'Infinity', o: null, p: 'NaN', q: '-Infinity' }),
      row('2024-01-02', { m: 6, n: 2, q: 7 }),
      row('2024-01-01', { o: 3 }),
    ];
    const bed = await startWith([rows]);
    const latest = 'latest { metrics { name value } o: value(metric: "o") }';
    const { data, errors } = await ask(bed, `series { nodes { ${latest} } }`);
    const metrics = Object.entries({ m: 5, n: 2, o: null, p: 1, q: 7 }).map(([name, value]) => ({ name, value }));
    expect(data).toEqual({ series: { nodes: [{ latest: { metrics, o: null } }] } });
    const at = (...path: (string | number)[]) => invalidAt([...NODES, 0, 'latest', ...path]);
    expect(errors).toEqual([at('metrics', 2, 'value'), at('o')]);
  });
});

describe('3.17 Values that are NaN, Infinity or -Infinity as text', () => {
  it('cost their neighbours nothing, and more errors than are allowed are counted', async () => {
    const values = Array.from({ length: 3000 }, (_, at) => (at % 5 < 2 ? 'NaN' : at));
    const bed = await startWith([days('2000-01-01', [1, 2]), days('2000-01-01', values), days('2000-01-01', [3])]);
    const fields = 'columns { metrics { values } } rows { value(metric: "m") }';
    const { body } = await bed.query(`{ dataset(id: "${DATASET_ID}") { results { series { nodes { ${fields} } } } } }`);
    expect(bed.calls()).toEqual([postResults({})]);
    const shown = values.map((value) => (value === 'NaN' ? null : value));
    const nodeOf = (all: readonly unknown[]) => ({
      columns: { metrics: [{ values: all }] },
      rows: all.map((value) => ({ value })),
    });
    expect(body.data.dataset.results.series.nodes).toEqual([[1, 2], shown, [3]].map(nodeOf));
    expect(body.errors).toHaveLength(1001);
    expect(body.errors.at(-1).message).toMatch(/; 1400 more are omitted\.$/);
    expect(bed.subgraph.oddRows.count).toBe(1200);
  });
});
