import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { bodyOf, day, downloadPath, get, post, start } from '../../test/support/simulator.ts';
import { demoDatasetIds, loadDemoData } from '../src/demo-data.ts';
import type { SimulatedDataset } from '../src/simulator.ts';

describe('the demo data', () => {
  async function demo() {
    const { accounts, datasets } = await loadDemoData();
    const byId = new Map(datasets.map((dataset) => [dataset.metadata.id, dataset]));
    const dataset = (name: keyof typeof demoDatasetIds) => {
      const found = byId.get(demoDatasetIds[name]);
      if (found === undefined) {
        throw new Error(`No dataset ${name}.`);
      }
      return found;
    };
    return { accounts, datasets, dataset };
  }
  const shape = (dataset: SimulatedDataset) =>
    dataset.results?.assets.map((asset) => [asset.asset_id, asset.results?.length]);

  it('§2.1 fills every metadata field but those the earthquakes and the generated fields leave out', async () => {
    const { dataset } = await demo();
    const fields = [
      'asset_count',
      'attributionFile',
      'attributionText',
      'description',
      'id',
      'name',
      'processing_id',
      'processing_name',
      'sharedOption',
      'source_id',
      'source_name',
      'start_date',
      'stop_date',
    ];
    for (const name of ['weather', 'co2', 'electricity'] as const) {
      expect(Object.keys(dataset(name).metadata).sort()).toEqual(fields);
    }
    const left = fields.filter((field) => !['attributionFile', 'processing_id', 'processing_name'].includes(field));
    expect(Object.keys(dataset('earthquakes').metadata).sort()).toEqual(left);
    const generated = fields.filter((field) => field !== 'attributionFile');
    expect(Object.keys(dataset('fields').metadata).sort()).toEqual(generated);
  });

  it('has version 4 UUIDs, the attributions of SOURCES.md and every sharedOption', async () => {
    const { datasets } = await demo();
    const sources = await readFile(new URL('../demo-data/SOURCES.md', import.meta.url), 'utf8');
    for (const { metadata } of datasets) {
      expect(metadata.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(sources).toContain(`| ${metadata.attributionText} |`);
    }
    expect(new Set(datasets.map(({ metadata }) => metadata.sharedOption))).toEqual(
      new Set(['OWNED', 'SHARED', 'NON_SHARED']),
    );
    expect(new Set(datasets.map(({ metadata }) => metadata.id)).size).toBe(5);
  });

  it('weather: 1461 days at each of two stations', async () => {
    const dataset = (await demo()).dataset('weather');
    expect(shape(dataset)).toEqual([
      ['seattle-tacoma', 1461],
      ['new-york-central-park', 1461],
    ]);
    expect(dataset.metadata).toMatchObject({
      asset_count: 2,
      start_date: day('2012-01-01'),
      stop_date: day('2015-12-31'),
    });
    expect(dataset.results?.assets[0]?.results?.[1]).toEqual({
      value_date: '2012-01-02',
      metrics: [
        { name: 'precipitation', value: 10.9 },
        { name: 'temp_max', value: 10.6 },
        { name: 'temp_min', value: 2.8 },
        { name: 'wind', value: 4.5 },
      ],
    });
    expect(dataset.file).toMatchObject({ name: 'weather.csv', contentType: 'text/csv' });
  });

  it('co2: 741 months', async () => {
    const dataset = (await demo()).dataset('co2');
    expect(shape(dataset)).toEqual([['mauna-loa-observatory', 741]]);
    expect(dataset.metadata).toMatchObject({ asset_count: 1, start_date: day('1958-03-01') });
    expect(dataset.results?.assets[0]?.results?.[0]).toEqual({
      value_date: '1958-03-01',
      metrics: [
        { name: 'co2', value: 315.7 },
        { name: 'co2_adjusted', value: 314.44 },
      ],
    });
    expect(dataset.file).toMatchObject({ name: 'co2-concentration.csv', contentType: 'text/csv' });
  });

  it('electricity: 17 years of three sources', async () => {
    const dataset = (await demo()).dataset('electricity');
    expect(shape(dataset)).toEqual([['iowa', 17]]);
    expect(dataset.metadata).toMatchObject({
      asset_count: 1,
      start_date: day('2001-01-01'),
      stop_date: day('2017-01-01'),
    });
    expect(dataset.results?.assets[0]?.results?.[0]).toEqual({
      value_date: '2001-01-01',
      metrics: [
        { name: 'fossil_fuels', value: 35361 },
        { name: 'nuclear_energy', value: 3853 },
        { name: 'renewables', value: 1437 },
      ],
    });
    expect(dataset.file).toMatchObject({ name: 'iowa-electricity.csv', contentType: 'text/csv' });
  });

  it('earthquakes: a static file only', async () => {
    const dataset = (await demo()).dataset('earthquakes');
    expect(dataset.results).toBeUndefined();
    expect(dataset.metadata).toMatchObject({
      asset_count: 0,
      start_date: Date.parse('2018-01-31T01:49:59.650Z'),
      stop_date: Date.parse('2018-02-07T01:26:13.840Z'),
    });
    expect(dataset.file).toMatchObject({ name: 'earthquakes.geojson', contentType: 'application/geo+json' });
  });

  it('is served: login, then the file', async () => {
    const simulator = await start(await loadDemoData());
    const login = await post(simulator, '/v3/login', '{"email":"demo@example.com","password":"demo"}');
    const { token } = await bodyOf<{ token: string }>(login);
    const authorization = `Bearer ${token}`;
    const response = await get(simulator, downloadPath(demoDatasetIds.earthquakes), { authorization });
    expect((await bodyOf<{ features: unknown[] }>(response)).features).toHaveLength(1707);
  });

  describe('when a file is not as expected', () => {
    async function loadWith(fileName: string, change: (text: string) => string) {
      const directory = await mkdtemp(join(tmpdir(), 'demo-data-'));
      onTestFinished(() => rm(directory, { recursive: true }));
      await cp(new URL('../demo-data/', import.meta.url), directory, { recursive: true });
      const path = join(directory, fileName);
      await writeFile(path, change(await readFile(path, 'utf8')));
      return loadDemoData(pathToFileURL(`${directory}/`));
    }

    it.each([
      ['weather.csv', 'location,date', 'place,date', 'weather.csv: the columns are "place,date'],
      ['weather.csv', '2012-01-01,0.0,', '2012-01-01,', 'weather.csv, line 2: not 7 plain fields.'],
      ['weather.csv', 'drizzle', '"dry"', 'weather.csv, line 2: not 7 plain fields.'],
      ['co2-concentration.csv', '315.70', 'n/a', 'co2-concentration.csv: "n/a" in column CO2 is not a number.'],
      ['co2-concentration.csv', '1958-03-01', 'March', 'co2-concentration.csv: "March" in column Date is not a date.'],
      ['iowa-electricity.csv', /\n[\s\S]*/, '', 'iowa-electricity.csv: the file has no rows.'],
      ['earthquakes.json', '"features"', '"others"', 'earthquakes.json: not a GeoJSON feature collection.'],
      ['earthquakes.json', '"time"', '"at"', 'earthquakes.json: feature 0 has no time.'],
    ])('%s: %s instead of %s is refused', async (fileName, expected, actual, message) => {
      await expect(loadWith(fileName, (text) => text.replace(expected, actual))).rejects.toThrow(message);
    });

    it('a missing CO2 value is a row without that metric', async () => {
      const { datasets } = await loadWith('co2-concentration.csv', (text) => text.replace('315.70', ''));
      const dataset = datasets.find(({ metadata }) => metadata.id === demoDatasetIds.co2);
      expect(dataset?.results?.assets[0]?.results?.[0]).toEqual({
        value_date: '1958-03-01',
        metrics: [{ name: 'co2_adjusted', value: 314.44 }],
      });
    });
  });
});
