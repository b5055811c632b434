import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listen } from '../../test/support/harness.ts';
import { chart } from '../src/chart.ts';
import { ask, askAtTerminal } from './ask.ts';

/** A series of an answer: its values, and its dates, which are days unless given. */
interface Given {
  id?: string;
  name?: string | null;
  version?: string;
  dates?: (string | null)[];
  values: (number | null)[];
}

/** A subgraph that answers with these series of the metric `m`. */
async function serving(series: readonly Given[]): Promise<string> {
  const nodes = series.map(({ id = 'a', name = `Asset ${id}`, version = '1', dates, values }) => ({
    asset: { assetId: id, name },
    version,
    metricNames: ['m'],
    columns: {
      valueDates: dates ?? values.map((_, day) => `2024-01-${String(day + 1).padStart(2, '0')}`),
      metrics: [{ name: 'm', values }],
    },
  }));
  const body = JSON.stringify({ data: { dataset: { id: 'x', name: 'Data', results: { series: { nodes } } } } });
  const head = `HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n`;
  return listen((socket) => socket.once('data', () => socket.end(head + body)));
}

/** The chart of some series, at a terminal of 14 lines and 40 columns without colours. */
async function drawn(series: readonly Given[], env: Record<string, string> = {}): Promise<string> {
  const terminal = { rows: 14, columns: 40, env: { NO_COLOR: '1', ...env } };
  const { code, stdout } = await askAtTerminal(await serving(series), ['x', '--metric', 'm'], terminal).ended;
  expect(code).toBe(0);
  return stdout.replaceAll('\r\n', '\n');
}

describe('The chart of ask', () => {
  it('has a gap where values are missing', async () => {
    expect(await drawn([{ values: [1, 2, 3, null, null, 6, 7, 8, 9] }])).toBe(`Data: m
  │                                 ⣀⠤⠒⠉
  │                             ⣀⠤⠒⠉
  │                         ⣀⠤⠒⠉
  │                       ⠒⠉
5 ┤
  │
  │        ⣀⠄
  │    ⣀⠤⠒⠉
  │⣀⠤⠒⠉
  └─────────────────────────────────────
   2024-01-01                 2024-01-09
   ⠒⠒ Asset a
`);
  });

  const two = [
    { id: 'a', dates: ['Q1', 'Q2', 'Q3'], values: [1, 2, 1] },
    { id: 'b', name: null, dates: ['Q1', 'Q2', 'Q3'], values: [2, 1, 2] },
  ];

  it('tells lines apart by symbols, in ASCII where the locale is not UTF-8; dates of another form stay in order', async () => {
    expect(await drawn(two, { LC_ALL: 'C' })).toBe(`Data: m
2.0 +++              ***              ++
    |  ++          **   **          ++
    |    +++    ***       ***    +++
1.5 +       ++**             **++
    |       **++             ++**
    |    ***    +++       +++    ***
    |  **          ++   ++          **
1.0 +**              +++              **
    +-----------------------------------
     Q1                               Q3
     * Asset a
     + b
`);
  });

  it('puts values where their time is, also where rows are not in its order', async () => {
    const dates = ['2024-01', '2024-01-11T00:00', '20240101T235960Z'];
    expect(await drawn([{ dates, values: [0, 1, 0] }])).toBe(`Data: m
1.0 ┤                               ⢀⡠⠔⠊
    │                           ⢀⣠⠴⠚⠁
    │                       ⢀⣠⡴⠞⠉
    │                   ⢀⡠⣔⠮⠋⠁
0.5 ┤               ⢀⡠⢔⡪⠕⠉
    │           ⢀⡠⠔⣊⠕⠊⠁
    │       ⢀⡠⠔⢊⡡⠒⠉
    │   ⢀⡠⠔⠊⡡⠔⠊⠁
0.0 ┤⡠⠔⠊⢁⠤⠒⠉
    └───────────────────────────────────
     2024-01            2024-01-11T00:00
     ⠒⠒ Asset a
`);
  });

  it('has six lines at most, and says so; an asset may have several versions', async () => {
    const series = Array.from({ length: 7 }, (_, index) => ({ id: `a${index}`, values: [index, index] }));
    const seven = await ask(await serving(series), ['x', '--metric', 'm']);
    expect(seven.stdout.match(/^ +\S Asset a\d$/gm)).toHaveLength(6);
    expect([seven.code, seven.stderr]).toEqual([
      0,
      'dataset-subgraph: The chart of m shows 6 of 7 assets; select others with --asset.\n',
    ]);
    const versions = ['1', '2'].map((version) => ({ version, values: [1, 2] }));
    const { stdout } = await ask(await serving(versions), ['x', '--metric', 'm']);
    expect(stdout.split('\n').slice(-3)).toEqual(['     * Asset a, version 1', '     + Asset a, version 2', '']);
    const entries = [{ values: [1, 2] }, { values: [2, 3] }];
    const ofOneVersion = await ask(await serving(entries), ['x', '--metric', 'm']);
    expect(ofOneVersion.stdout.split('\n').slice(-3)).toEqual(['     * Asset a', '     + Asset a', '']);
  });
});

describe('The chart of ask, whatever the values are', () => {
  const display = { styled: false, unicode: true, width: 60, height: 20 };
  const near = (value: number) =>
    fc.integer({ min: -20, max: 20 }).map((steps) => value + steps * (Math.abs(value) * 2 ** -52));
  const magnitude = fc.tuple(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
  const anyValues = fc.oneof(
    fc.array(fc.double({ noNaN: true, noDefaultInfinity: true }), { minLength: 1, maxLength: 20 }),
    magnitude.chain(([value]) => fc.array(near(value).filter(Number.isFinite), { minLength: 1, maxLength: 20 })),
  );

  it('ends, with labels that stand in order and a line within', { timeout: 20_000 }, () => {
    fc.assert(
      fc.property(anyValues, (values) => {
        const dates = values.map((_, row) => String(row));
        const lines = chart('m', [{ name: 'a', dates, values }], display);
        const labels = lines.flatMap((line) => /^ *(\S+) ┤/.exec(line)?.slice(1) ?? []).map(Number);
        expect(labels.length).toBeGreaterThan(0);
        expect(labels).toEqual(labels.toSorted((a, b) => b - a));
        expect(labels.filter((label) => !Number.isFinite(label))).toEqual([]);
        const [, ...plot] = lines.slice(0, -3);
        expect(plot.join('').replace(/[^\u2801-\u28ff]/g, '').length).toBeGreaterThan(0);
      }),
      {
        numRuns: 3000,
        examples: [
          [[1e17, 1e17 + 16]],
          [[-1e17, -1e17 - 32]],
          [[0, 5e-324]],
          [[1.7976e308]],
          [[-1.7976e308, 1.7976e308]],
        ],
      },
    );
  });
});
