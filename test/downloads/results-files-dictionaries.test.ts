import { DataType, type Table, tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { days, row, startWith } from '../support/aggregates.ts';
import { receive, resultsPath } from '../support/results-files.ts';
import { rowGroupsOf } from './row-groups.ts';

const asset = (id: string, name: string | null, metrics: readonly string[], days = 1) => ({
  asset_id: id,
  asset_name: name,
  results: Array.from({ length: days }, (_, day) => ({
    value_date: `day ${day}`,
    metrics: metrics.map((metric, value) => ({ name: metric, value })),
  })),
});

async function tableOf(assets: readonly object[], layout = 'long'): Promise<Table> {
  const bed = await startWith(JSON.stringify({ assets }));
  const { status, isComplete, bytes } = await receive(bed, resultsPath(`format=arrow&layout=${layout}`));
  expect([status, isComplete]).toEqual([200, true]);
  return tableFromIPC(bytes);
}

/** The size of the dictionary of each column; undefined where it has none. */
function sizes({ schema, batches }: Table): Record<string, number | undefined> {
  return Object.fromEntries(
    schema.fields.map(({ name, type }) => [
      name,
      DataType.isDictionary(type) ? batches[0]?.getChild(name)?.data[0]?.dictionary?.length : undefined,
    ]),
  );
}

const valuesOf = (table: Table, name: string) => [...(table.getChild(name) ?? [])];

describe('3.43 Dictionaries in Arrow files', () => {
  it('have each repeated text once, for all batches', async () => {
    const assets = [asset('a', 'Field', ['m', 'n'], 9000), asset('b', null, ['n', 'o']), asset('c', 'Field', ['m'])];
    const table = await tableOf(assets);
    expect(table.batches).toHaveLength(2);
    expect(sizes(table)).toMatchObject({
      asset_id: 3,
      asset_name: 1,
      value_date: undefined,
      metric: 3,
      value: undefined,
    });
    expect(String(table.schema.fields[0]?.type)).toBe('Dictionary<Int32, Utf8>');
    const rows = assets.flatMap(({ asset_id, asset_name, results }) =>
      results.flatMap(({ value_date, metrics }) => metrics.map(({ name }) => [asset_id, asset_name, value_date, name])),
    );
    const names = ['asset_id', 'asset_name', 'value_date', 'metric'];
    for (const [at, name] of names.entries()) expect(valuesOf(table, name)).toEqual(rows.map((row) => row[at]));
    expect(sizes(await tableOf(assets, 'wide'))).toMatchObject({ asset_id: 3, asset_name: 1, m: undefined });
  });

  it('have a text once whose lone surrogates become the same character', async () => {
    const table = await tableOf([asset('x\ud800', '\udc00', ['\ud801']), asset('x\ud801', '\ufffd', ['\ufffd'])]);
    expect(sizes(table)).toMatchObject({ asset_id: 1, asset_name: 1, metric: 1 });
    expect(valuesOf(table, 'asset_id')).toEqual(['x\ufffd', 'x\ufffd']);
  });

  it.each([
    ['16,384 texts', Array.from({ length: 16_384 }, (_, index) => `${index}`)],
    ['524,288 characters', ['x'.repeat(524_287), 'y']],
  ])('have at most %s', async (_title, texts) => {
    const assets = texts.map((text) => asset(text, 'Field', ['m']));
    const known = await tableOf(assets);
    expect(sizes(known)).toMatchObject({ asset_id: texts.length, asset_name: 1 });
    const more = await tableOf([...assets, asset('z', 'Field', ['m'])]);
    expect(sizes(more)).toMatchObject({ asset_id: undefined, asset_name: 1 });
    expect(String(more.schema.fields[0]?.type)).toBe('Utf8');
    expect(valuesOf(known, 'asset_id')).toEqual(texts);
    expect(valuesOf(more, 'asset_id')).toEqual([...texts, 'z']);
  });
});

describe('3.43 Row groups of Parquet files', () => {
  const texts = ['asset_id', 'asset_name', 'metric'];
  const groupsOf = async (results: readonly object[], query: string) =>
    rowGroupsOf(
      await startWith(JSON.stringify({ assets: [{ asset_id: 'a', asset_name: 'Field', asset_version: 1, results }] })),
      query,
    );
  const date = (text: string) => new Date(`${text}Z`);

  it('have the range of their dates, and of no other column, and dictionaries of texts', async () => {
    const values = Array.from({ length: 16_385 }, (_, day) => day / 7);
    expect(await groupsOf(days('1980-01-01', values), 'layout=long')).toEqual([
      { rows: 16_384, ranges: { value_date: [date('1980-01-01'), date('2024-11-08'), 0n] }, dictionaries: texts },
      { rows: 1, ranges: { value_date: [date('2024-11-09'), date('2024-11-09'), 0n] }, dictionaries: [] },
    ]);
  });

  it.each([
    ['milliseconds', '2024-01-01T12:00:00Z'],
    ['microseconds', '2024-01-01T12:00:00.000001Z'],
  ])('have that of timestamps in %s', async (_, last) => {
    const rows = [row('2024-01-01', { m: 1 }), row(last, { m: 2 }), row(null, { m: 3 })];
    const [group] = await groupsOf(rows, 'layout=wide');
    expect(group?.ranges).toEqual({ value_date: [date('2024-01-01'), new Date(last), 1n] });
  });

  it('have dictionaries of values that repeat', async () => {
    const values = Array.from({ length: 1000 }, (_, day) => day % 10);
    const [group] = await groupsOf(days('2024-01-01', values), 'layout=long');
    expect(group?.dictionaries).toEqual([...texts, 'value']);
  });
});
