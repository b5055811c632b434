import { describe, expect, it } from 'vitest';
import { bodyOf, day, post, resultsPath, start } from '../../test/support/simulator.ts';
import { demoDatasetIds, loadDemoData } from '../src/demo-data.ts';
import type { SimulatedAsset, SimulatedDataset, Simulator } from '../src/simulator.ts';

async function startDemo(): Promise<Simulator> {
  return start(await loadDemoData());
}

/** The response to a filter; one that is text is sent as it is. */
function read(simulator: Simulator, filter: object | string): Promise<Response> {
  const body = typeof filter === 'string' ? filter : JSON.stringify(filter);
  return post(simulator, resultsPath(demoDatasetIds.fields), body, { authorization: 'Bearer demo-token' });
}

async function assetsOf(response: Promise<Response>): Promise<SimulatedAsset[]> {
  return (await bodyOf<{ assets: SimulatedAsset[] }>(await response)).assets;
}

const datesOf = ({ results }: SimulatedAsset) => results?.map(({ value_date: date }) => date);
const rowOf = (value_date: string, ndvi: number | null, soil_moisture: number, surface_temperature: number) => ({
  value_date,
  metrics: Object.entries({ ndvi, soil_moisture, surface_temperature }).map(([name, value]) => ({ name, value })),
});

describe('The generated fields', () => {
  it('are a field with its rows for a filter', async () => {
    const response = await read(await startDemo(), {
      mo_ids: ['field-0417', 'unknown'],
      time_range: { start_date: day('2024-05-04'), stop_date: day('2024-05-07') },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json']);
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
    const simulator = await startDemo();
    const [whole] = await assetsOf(read(simulator, { mo_ids: ['field-1000'] }));
    const december = { start_date: day('2025-12-01') };
    const [, part] = await assetsOf(read(simulator, { mo_ids: ['field-0001', 'field-1000'], time_range: december }));
    expect(part).toEqual({ ...whole, results: whole?.results?.slice(-31) });
  });

  it('begin later in some fields, and have no rows in the east for two weeks', async () => {
    const simulator = await startDemo();
    const assets = await assetsOf(read(simulator, { mo_ids: ['field-0019', 'field-0020'] }));
    expect(assets.map((asset) => datesOf(asset)?.[0])).toEqual(['2023-01-01', '2024-03-01']);
    const range = { start_date: day('2023-11-09'), stop_date: day('2023-11-24') };
    const [field] = await assetsOf(read(simulator, { mo_ids: ['field-0701'], time_range: range }));
    expect(field?.asset_name).toBe('Field 0701, east');
    expect(datesOf(field ?? {})).toEqual(['2023-11-09', '2023-11-24']);
  });

  it('have the rows of a time range', async () => {
    const simulator = await startDemo();
    const ranges: [object | string, number[]][] = [
      [{}, [1096]],
      [{ start_date: day('2025-12-31') }, [1]],
      ['{"start_date":-9223372036854775808,"stop_date":9223372036854775807}', [1096]],
      [{ start_date: day('2024-01-01') + 1, stop_date: day('2024-01-02') - 1 }, []],
      [{ stop_date: day('2023-01-01') - 1 }, []],
      [{ start_date: day('2025-12-31') + 1 }, []],
    ];
    for (const [range, rows] of ranges) {
      const text = typeof range === 'string' ? range : JSON.stringify(range);
      const assets = await assetsOf(read(simulator, `{"mo_ids":["field-0001"],"time_range":${text}}`));
      expect([text, assets.map((asset) => datesOf(asset)?.length)]).toEqual([text, rows]);
    }
  });
});

describe('A generated response', () => {
  /** A dataset of these entries. */
  function generatedDataset(entries: () => Iterable<string>): SimulatedDataset {
    return {
      metadata: { id: 'made' },
      generated: { processing_id: 'p', source_id: 's', assetIds: [], metricNames: [], entries },
    };
  }

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
