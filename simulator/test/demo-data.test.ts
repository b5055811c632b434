import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { day } from '../../test/support/simulator.ts';
import { demoDatasetIds, loadDemoData } from '../src/demo-data.ts';

async function demoDataset(name: keyof typeof demoDatasetIds) {
  const { datasets } = await loadDemoData();
  return datasets.find(({ metadata }) => metadata.id === demoDatasetIds[name]);
}

/** A row of the REST service. */
const rowOf = (value_date: string, values: Record<string, number>) => ({
  value_date,
  metrics: Object.entries(values).map(([name, value]) => ({ name, value })),
});

describe('The demo data', () => {
  it.each([
    {
      name: 'weather',
      assets: [
        ['seattle-tacoma', 1461],
        ['new-york-central-park', 1461],
      ],
      row: [1, rowOf('2012-01-02', { precipitation: 10.9, temp_max: 10.6, temp_min: 2.8, wind: 4.5 })],
      metadata: { asset_count: 2, start_date: day('2012-01-01'), stop_date: day('2015-12-31') },
      file: { name: 'weather.csv', contentType: 'text/csv' },
    },
    {
      name: 'co2',
      assets: [['mauna-loa-observatory', 741]],
      row: [0, rowOf('1958-03-01', { co2: 315.7, co2_adjusted: 314.44 })],
      metadata: { asset_count: 1, start_date: day('1958-03-01') },
      file: { name: 'co2-concentration.csv', contentType: 'text/csv' },
    },
    {
      name: 'electricity',
      assets: [['iowa', 17]],
      row: [0, rowOf('2001-01-01', { fossil_fuels: 35361, nuclear_energy: 3853, renewables: 1437 })],
      metadata: { asset_count: 1, start_date: day('2001-01-01'), stop_date: day('2017-01-01') },
      file: { name: 'iowa-electricity.csv', contentType: 'text/csv' },
    },
    {
      name: 'earthquakes',
      metadata: {
        asset_count: 0,
        start_date: Date.parse('2018-01-31T01:49:59.650Z'),
        stop_date: Date.parse('2018-02-07T01:26:13.840Z'),
      },
      file: { name: 'earthquakes.geojson', contentType: 'application/geo+json' },
    },
  ] as const)('have $name: its assets and rows, metadata and file', async (expected) => {
    const dataset = await demoDataset(expected.name);
    const { assets, row, file } = { assets: undefined, row: undefined, ...expected };
    expect(dataset?.results?.assets.map(({ asset_id, results }) => [asset_id, results?.length])).toEqual(assets);
    if (row !== undefined) expect(dataset?.results?.assets[0]?.results?.[row[0]]).toEqual(row[1]);
    expect(dataset?.metadata).toMatchObject(expected.metadata);
    expect(dataset?.file).toMatchObject(file);
  });

  it('have version 4 UUIDs, the attributions of SOURCES.md and every sharedOption', async () => {
    const { datasets } = await loadDemoData();
    const sources = await readFile(new URL('../demo-data/SOURCES.md', import.meta.url), 'utf8');
    for (const { metadata } of datasets) {
      expect(metadata.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(sources).toContain(`| ${metadata.attributionText} |`);
    }
    expect(new Set(datasets.map(({ metadata }) => metadata.sharedOption))).toEqual(
      new Set(['OWNED', 'SHARED', 'NON_SHARED']),
    );
  });

  it('are refused where a file is not as expected', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'demo-data-'));
    onTestFinished(() => rm(directory, { recursive: true }));
    await cp(new URL('../demo-data/', import.meta.url), directory, { recursive: true });
    const path = join(directory, 'weather.csv');
    await writeFile(path, (await readFile(path, 'utf8')).replace('2012-01-01,0.0,', '2012-01-01,'));
    await expect(loadDemoData(pathToFileURL(`${directory}/`))).rejects.toThrow(
      'weather.csv, line 2: not 7 plain fields.',
    );
  });
});
