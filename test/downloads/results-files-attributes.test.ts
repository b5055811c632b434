import { tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** The members of an asset with so many rows. */
const asset = (id: string, days: number, others: Record<string, unknown>) => ({
  asset_id: id,
  ...others,
  results: Array.from({ length: days }, (_, day) => ({
    value_date: `day "${day}"`,
    metrics: [
      { name: 'm', value: day },
      { name: 'n,o', value: null },
    ],
  })),
});

/** More lines than are written in one step, and than one piece of memory has. */
const assets = [
  asset('few', 2, { asset_name: 'Few', asset_version: 1 }),
  asset('many', 9000, { asset_name: 'Many,\n"many"', asset_version: 2 }),
  asset('empty', 0, { asset_name: 'Empty', asset_version: 3 }),
  asset('nameless', 9000, { asset_version: 4 }),
  asset('nothing', 3, {}),
];

const orders: readonly [title: string, (names: string[]) => string[]][] = [
  ['all of them', (names) => names.toReversed()],
  ['the id', ([id = '', ...others]) => [...others, id]],
  ['all but the id', ([id = '', ...others]) => [id, ...others.toReversed()]],
];

/** The body of results with these assets. */
const bodyOf = (by: (names: string[]) => string[]) => {
  const texts = assets.map((each) => {
    const members: Record<string, unknown> = each;
    return `{${by(Object.keys(each)).map((name) => `"${name}":${JSON.stringify(members[name])}`)}}`;
  });
  return `{"assets":[${texts}]}`;
};

describe('3.43 Results as files of assets whose attributes come behind their rows', () => {
  it.each(
    orders.flatMap(([title, by]) =>
      ['csv', 'ndjson', 'parquet', 'arrow'].flatMap((format) =>
        ['long', 'wide'].map((layout) => [title, format, layout, by] as const),
      ),
    ),
  )('are the same: %s, %s, %s', async (_title, format, layout, by) => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    const contents: unknown[] = [];
    for (const body of [bodyOf((names) => names), bodyOf(by)]) {
      bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
      const file = await receive(bed, resultsPath(`format=${format}&layout=${layout}`));
      expect([file.status, file.isComplete]).toEqual([200, true]);
      contents.push(contentOf(format, file.bytes));
    }
    expect(contents[1]).toEqual(contents[0]);
  });
});

describe('3.43 The memory of results as files', () => {
  it('does not grow with an asset, unless its attributes come behind its rows', async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent', MEMORY_BUDGET: '8000000', UPSTREAM_MAX_BYTES: '1000000' } });
    const rows = Array.from(
      { length: 400_000 },
      (_, day) => `{"value_date":"${day}","metrics":[{"name":"m","value":1}]}`,
    );
    const [before, behind] = [
      `{"asset_id":"a","asset_name":null,"asset_version":null,"results":[${rows}]}`,
      `{"asset_id":"a","results":[${rows}],"asset_name":"A"}`,
    ];
    const receiveOf = (asset: string) => {
      bed.simulator.intercept(() => ({ body: `{"assets":[${asset}]}` }));
      return receive(bed, resultsPath('format=csv'));
    };
    const { isComplete, text } = await receiveOf(before);
    expect([isComplete, text.split('\r\n').length]).toEqual([true, 1 + 400_000 + 1]);
    const { status, text: error } = await receiveOf(behind);
    expect([status, JSON.parse(error).errors[0].extensions.code]).toEqual([502, 'UPSTREAM_RESPONSE_TOO_LARGE']);
  });
});

/** What does not depend on the time. */
function contentOf(format: string, bytes: Buffer): unknown {
  if (format === 'arrow') return tableFromIPC(bytes).toArray().map(String);
  // The metadata is at the end, and behind it are its length and four bytes.
  return format === 'parquet'
    ? bytes.subarray(0, bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8))
    : String(bytes);
}
