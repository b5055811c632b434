import { describe, expect, it } from 'vitest';
import {
  bearer,
  bodyOf,
  day,
  expectRefusal,
  json,
  open,
  post,
  recordedBy,
  responseTo,
  resultsPath,
  start,
} from '../../test/support/simulator.ts';
import { demoDatasetIds, loadDemoData } from '../src/demo-data.ts';
import type { SimulatedAsset, SimulatedDataset, Simulator } from '../src/simulator.ts';

const PATH = resultsPath(demoDatasetIds.fields);
const authorization = { authorization: 'Bearer demo-token' };

interface Results {
  processing_id: string;
  source_id: string;
  assets: SimulatedAsset[];
}

async function startDemo(): Promise<Simulator> {
  return start(await loadDemoData());
}

function read(simulator: Simulator, filter: object): Promise<Response> {
  return post(simulator, PATH, JSON.stringify(filter), authorization);
}

async function assetsOf(filter: object): Promise<SimulatedAsset[]> {
  return (await bodyOf<Results>(await read(await startDemo(), filter))).assets;
}

const datesOf = ({ results }: SimulatedAsset) => results?.map(({ value_date: date }) => date);
const rowOf = (value_date: string, ndvi: number | null, soil_moisture: number, surface_temperature: number) => ({
  value_date,
  metrics: Object.entries({ ndvi, soil_moisture, surface_temperature }).map(([name, value]) => ({ name, value })),
});

describe('the generated fields', () => {
  it('are a field with its rows for a filter', async () => {
    const response = await read(await startDemo(), {
      mo_ids: ['field-0417', 'unknown'],
      time_range: { start_date: day('2024-05-04'), stop_date: day('2024-05-07') },
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({
      processing_id: 'generated-fields',
      source_id: 'simulator',
      assets: [
        {
          asset_id: 'field-0417',
          asset_name: 'Field 0417, west',
          asset_version: 1,
          asset_categories: ['field', 'winter wheat'],
          asset_centroid_latitude: 48.4032,
          asset_centroid_longitude: 1.617,
          asset_surface_area_m2: 50_100,
          parent_asset_id: 'west',
          parent_asset_name: 'Region west',
          parent_asset_version: 1,
          results: [
            rowOf('2024-05-04', 0.825, 35.8, 13.8),
            rowOf('2024-05-05', 0.808, 35.5, 14),
            rowOf('2024-05-06', 0.817, 97.3, 11.7),
            rowOf('2024-05-07', 0.819, 97.3, 11),
          ],
        },
      ],
    });
  });

  it('have values that do not depend on the filter', async () => {
    const [whole] = await assetsOf({ mo_ids: ['field-1000'] });
    const [part] = await assetsOf({
      mo_ids: ['field-0001', 'field-1000'],
      time_range: { start_date: day('2025-12-01') },
    }).then((assets) => assets.filter((asset) => asset.asset_id === 'field-1000'));
    expect(part).toEqual({ ...whole, results: whole?.results?.slice(-31) });
  });

  it('begin later in some fields', async () => {
    const assets = await assetsOf({ mo_ids: ['field-0019', 'field-0020'] });
    expect(assets.map((asset) => datesOf(asset)?.[0])).toEqual(['2023-01-01', '2024-03-01']);
  });

  it('have no rows in the east for two weeks', async () => {
    const range = { start_date: day('2023-11-09'), stop_date: day('2023-11-24') };
    const [field] = await assetsOf({ mo_ids: ['field-0701'], time_range: range });
    expect(field?.asset_name).toBe('Field 0701, east');
    expect(datesOf(field ?? {})).toEqual(['2023-11-09', '2023-11-24']);
  });

  it.each([
    ['within a day', { start_date: day('2024-01-01') + 1, stop_date: day('2024-01-02') - 1 }],
    ['before the first day', { stop_date: day('2023-01-01') - 1 }],
    ['after the last day', { start_date: day('2025-12-31') + 1 }],
  ])('are none for a range %s', async (_case, range) => {
    const response = await read(await startDemo(), { time_range: range });
    expect(await response.json()).toEqual({ processing_id: 'generated-fields', source_id: 'simulator', assets: [] });
  });

  it.each([
    ['without a bound', {}, 1096],
    ['with one bound', { start_date: day('2025-12-31') }, 1],
    ['with the bounds of an int64', '{"start_date":-9223372036854775808,"stop_date":9223372036854775807}', 1096],
  ])('have the rows of a range %s', async (_case, range, rows) => {
    const text = typeof range === 'string' ? range : JSON.stringify(range);
    const response = await post(
      await startDemo(),
      PATH,
      `{"mo_ids":["field-0001"],"time_range":${text}}`,
      authorization,
    );
    expect((await bodyOf<Results>(response)).assets.map((asset) => datesOf(asset)?.length)).toEqual([rows]);
  });

  it('are refused like the other datasets', async () => {
    const simulator = await startDemo();
    await expectRefusal(await post(simulator, PATH, '{}', { authorization: 'Bearer wrong' }), 401, 'WRONG_CREDENTIALS');
    await expectRefusal(await read(simulator, { mo_ids: 'field-0001' }), 400, 'VALIDATION_EXCEPTION');
    const download = `${simulator.url}/v1/collection/staticdataset/${demoDatasetIds.fields}/download`;
    await expectRefusal(await fetch(download, { headers: authorization }), 404, 'NOT_FOUND');
  });

  it('take the faults of the simulator', async () => {
    const simulator = await startDemo();
    simulator.intercept(() => ({ status: 500 }));
    await expectRefusal(await read(simulator, {}), 500, 'INTERNAL_SERVER_ERROR');
    simulator.intercept(() => ({ cutAfterBytes: 100_000 }));
    await expect((await read(simulator, {})).text()).rejects.toThrow();
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });
});

describe('a generated response', () => {
  /** A dataset of these entries. */
  function generatedDataset(entries: () => Iterable<string>): SimulatedDataset {
    return {
      metadata: { id: 'made' },
      generated: { processing_id: 'p', source_id: 's', assetIds: [], metricNames: [], entries },
    };
  }

  it('is computed as fast as the client reads, until it leaves', async () => {
    const ended = Promise.withResolvers<void>();
    function* endless() {
      try {
        for (;;) yield `{"asset_name":"${'x'.repeat(1_000_000)}"}`;
      } finally {
        ended.resolve();
      }
    }
    const simulator = await start({ datasets: [generatedDataset(endless)] });
    const client = open(simulator, resultsPath('made'), { method: 'POST', headers: { ...bearer, ...json } });
    client.end('{}');
    const response = await responseTo(client);
    response.once('data', () => client.destroy());
    await ended.promise;
    expect(await recordedBy(simulator).outcome).toBe('aborted');
  });

  it('leaves time for other work of the process after each asset', async () => {
    let turns = 0;
    const turnsBefore: number[] = [];
    function* watched() {
      for (let asset = 0; asset < 5; asset += 1) {
        turnsBefore.push(turns);
        setImmediate(() => {
          turns += 1;
        });
        yield '{}';
      }
    }
    const simulator = await start({ datasets: [generatedDataset(watched)] });
    const response = await post(simulator, resultsPath('made'), '');
    expect(await response.text()).toBe('{"processing_id":"p","source_id":"s","assets":[{},{},{},{},{}]}');
    expect(turnsBefore).toEqual([0, 1, 2, 3, 4]);
  });
});
