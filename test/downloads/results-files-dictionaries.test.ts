import { DataType, type Table, tableFromIPC } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { start } from '../support/harness.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const asset = (id: string, name: string | null, metrics: readonly string[], days = 1) => ({
  asset_id: id,
  asset_name: name,
  results: Array.from({ length: days }, (_, day) => ({
    value_date: `day ${day}`,
    metrics: metrics.map((metric, value) => ({ name: metric, value })),
  })),
});

async function tableOf(assets: readonly object[], layout = 'long'): Promise<Table> {
  const bed = await start({ env: { LOG_LEVEL: 'silent' } });
  const body = JSON.stringify({ assets });
  bed.simulator.intercept(({ operation }) => (operation === 'getDatasetResults' ? { body } : undefined));
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

  it('are absent where there is no text, and do not have those of assets without rows', async () => {
    expect(sizes(await tableOf([asset('a', null, []), asset('b', 'none', ['m'], 0)]))).toMatchObject({
      asset_id: 1,
      asset_name: undefined,
      metric: undefined,
    });
    expect(sizes(await tableOf([asset('b', 'none', ['m'], 0)]))).toMatchObject({ asset_id: undefined });
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
