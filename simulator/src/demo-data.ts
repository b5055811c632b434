import { readFile } from 'node:fs/promises';
import { packageRoot } from '../../src/core/package.ts';
import { type CsvLine, parseCsv } from './csv.ts';
import type { SimulatedAccount, SimulatedDataset } from './dataset.ts';
import { generatedFieldsDataset } from './generated-fields/generated-fields.ts';

/** The identifiers of the demo datasets. They are fixed, so that examples can use them. */
export const demoDatasetIds = {
  weather: '6f1d2c84-3b7e-4a59-9c10-5e8a7b4d2f31',
  co2: 'b83e5a17-9d42-4c6f-8a21-0f7c3d9e6b54',
  electricity: '2a9c7f60-e51b-4d38-b6f4-8c1e0a5d7923',
  earthquakes: 'd40b8e93-7c26-4f1a-a5d8-3b6f9e2c1057',
  fields: '5c0e7d19-2f84-4b6a-8d3c-91f0a6b7e245',
} as const;

/**
 * Reads the demo data: one account, four datasets of public data, and a large one that is generated. The earthquakes are a static
 * dataset.
 *
 * @param directory default: `simulator/demo-data/` of the package
 * @throws Error when a file has unexpected content
 */
export async function loadDemoData(
  directory: URL = new URL('simulator/demo-data/', packageRoot),
): Promise<{ accounts: SimulatedAccount[]; datasets: SimulatedDataset[] }> {
  const read = (name: string) => readFile(new URL(name, directory));
  const datasets = await Promise.all([
    read('weather.csv').then(weatherDataset),
    read('co2-concentration.csv').then(co2Dataset),
    read('iowa-electricity.csv').then(electricityDataset),
    read('earthquakes.json').then(earthquakesDataset),
  ]);
  return {
    accounts: [{ email: 'demo@example.com', password: 'demo', token: 'demo-token' }],
    datasets: [...datasets, generatedFieldsDataset(demoDatasetIds.fields)],
  };
}

/** A Result in wire form (§2.6). */
type Result = {
  value_date: string;
  metrics: { name: string; value: number }[];
};

function weatherDataset(bytes: Buffer): SimulatedDataset {
  const fileName = 'weather.csv';
  const metricNames = ['precipitation', 'temp_max', 'temp_min', 'wind'];
  const lines = parseCsv(fileName, bytes.toString(), ['location', 'date', ...metricNames, 'weather']);
  const byLocation = Map.groupBy(lines, (line) => line.location);
  const resultsOf = (location: string) =>
    (byLocation.get(location) ?? []).map((line) =>
      resultOf(
        dateOf(fileName, line, 'date'),
        metricNames.map((name) => [name, numberOf(fileName, line, name)]),
      ),
    );
  const country = { parent_asset_id: 'usa', parent_asset_name: 'United States', parent_asset_version: 1 };
  const assets = [
    {
      ...country,
      asset_id: 'seattle-tacoma',
      asset_name: 'Seattle-Tacoma',
      asset_version: 1,
      asset_categories: ['weather station', 'airport'],
      asset_centroid_latitude: 47.449,
      asset_centroid_longitude: -122.309,
      results: resultsOf('Seattle'),
    },
    {
      ...country,
      asset_id: 'new-york-central-park',
      asset_name: 'New York (Central Park)',
      asset_version: 1,
      asset_categories: ['weather station', 'park'],
      asset_centroid_latitude: 40.779,
      asset_centroid_longitude: -73.969,
      results: resultsOf('New York'),
    },
  ];
  const origin = { processing_id: 'daily-weather', source_id: 'noaa-climate-data-online' };
  return {
    metadata: {
      id: demoDatasetIds.weather,
      name: 'Daily weather, Seattle and New York',
      description:
        'Precipitation (mm), highest and lowest temperature (°C) and wind (m/s) of each day at two stations.',
      asset_count: assets.length,
      attributionFile: 'SOURCES.md',
      attributionText: 'NOAA Climate Data Online; U.S. government work',
      ...origin,
      processing_name: 'Daily weather',
      source_name: 'NOAA Climate Data Online',
      sharedOption: 'OWNED',
      ...periodOf(fileName, assets.flatMap(instantsOf)),
    },
    results: { ...origin, assets },
    file: { name: fileName, contentType: 'text/csv', bytes },
  };
}

function co2Dataset(bytes: Buffer): SimulatedDataset {
  const fileName = 'co2-concentration.csv';
  const lines = parseCsv(fileName, bytes.toString(), ['Date', 'CO2', 'adjusted CO2']);
  const asset = {
    asset_id: 'mauna-loa-observatory',
    asset_name: 'Mauna Loa Observatory',
    asset_version: 1,
    asset_categories: ['observatory'],
    asset_centroid_latitude: 19.536,
    asset_centroid_longitude: -155.576,
    parent_asset_id: 'hawaii',
    parent_asset_name: 'Hawaii',
    parent_asset_version: 1,
    results: lines.map((line) =>
      resultOf(dateOf(fileName, line, 'Date'), [
        ['co2', numberOf(fileName, line, 'CO2')],
        ['co2_adjusted', numberOf(fileName, line, 'adjusted CO2')],
      ]),
    ),
  };
  const origin = { processing_id: 'monthly-co2', source_id: 'scripps-co2-program' };
  return {
    metadata: {
      id: demoDatasetIds.co2,
      name: 'Mauna Loa CO2',
      description: 'Carbon dioxide in the air (ppm) of each month, as measured and seasonally adjusted.',
      asset_count: 1,
      attributionFile: 'SOURCES.md',
      attributionText: 'Scripps CO2 Program; CC BY 4.0',
      ...origin,
      processing_name: 'Monthly CO2',
      source_name: 'Scripps CO2 Program',
      sharedOption: 'SHARED',
      ...periodOf(fileName, instantsOf(asset)),
    },
    results: { ...origin, assets: [asset] },
    file: { name: fileName, contentType: 'text/csv', bytes },
  };
}

function electricityDataset(bytes: Buffer): SimulatedDataset {
  const fileName = 'iowa-electricity.csv';
  const lines = parseCsv(fileName, bytes.toString(), ['year', 'source', 'net_generation']);
  const years = Map.groupBy(lines, (line) => dateOf(fileName, line, 'year'));
  const asset = {
    asset_id: 'iowa',
    asset_name: 'Iowa',
    asset_version: 1,
    asset_categories: ['state'],
    asset_centroid_latitude: 42.075,
    asset_centroid_longitude: -93.496,
    asset_surface_area_m2: 145_746e6,
    parent_asset_id: 'usa',
    parent_asset_name: 'United States',
    parent_asset_version: 1,
    results: Array.from(years, ([year, sources]) =>
      resultOf(
        year,
        sources.map((line) => [
          (line.source ?? '').toLowerCase().replaceAll(' ', '_'),
          numberOf(fileName, line, 'net_generation'),
        ]),
      ),
    ),
  };
  const origin = { processing_id: 'yearly-net-generation', source_id: 'eia-net-generation' };
  return {
    metadata: {
      id: demoDatasetIds.electricity,
      name: 'Iowa electricity by source',
      description: 'Net generation of electricity in Iowa (thousand MWh) of each year, by source.',
      asset_count: 1,
      attributionFile: 'SOURCES.md',
      attributionText: 'U.S. EIA; U.S. government work',
      ...origin,
      processing_name: 'Yearly net generation',
      source_name: 'U.S. EIA net generation',
      sharedOption: 'NON_SHARED',
      ...periodOf(fileName, instantsOf(asset)),
    },
    results: { ...origin, assets: [asset] },
    file: { name: fileName, contentType: 'text/csv', bytes },
  };
}

/** A published file. No processing made it, so the metadata has none (§2.8 leaves open what may be absent). */
function earthquakesDataset(bytes: Buffer): SimulatedDataset {
  const fileName = 'earthquakes.json';
  return {
    metadata: {
      id: demoDatasetIds.earthquakes,
      name: 'Earthquakes of one week',
      description: 'Every earthquake recorded in one week, as points with magnitude and time (GeoJSON).',
      asset_count: 0,
      attributionText: 'USGS; U.S. public domain',
      source_id: 'usgs-earthquakes',
      source_name: 'USGS earthquake feed',
      sharedOption: 'SHARED',
      ...periodOf(fileName, featureTimesOf(fileName, bytes)),
    },
    file: { name: 'earthquakes.geojson', contentType: 'application/geo+json', bytes },
  };
}

function featureTimesOf(fileName: string, bytes: Buffer): number[] {
  const collection: { features?: { properties?: { time?: unknown } }[] } = JSON.parse(bytes.toString());
  if (!Array.isArray(collection.features)) {
    throw new Error(`${fileName}: not a GeoJSON feature collection.`);
  }
  return collection.features.map((feature, index) => {
    const time = feature.properties?.time;
    if (typeof time !== 'number') {
      throw new Error(`${fileName}: feature ${index} has no time.`);
    }
    return time;
  });
}

function resultOf(date: string, measurements: [name: string, value: number | undefined][]): Result {
  const metrics = measurements.flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));
  return { value_date: date, metrics };
}

function dateOf(fileName: string, line: CsvLine, column: string): string {
  const date = line[column] ?? '';
  if (!/^\d{4}-\d\d-\d\d$/.test(date) || Number.isNaN(Date.parse(date))) {
    throw new Error(`${fileName}: "${date}" in column ${column} is not a date.`);
  }
  return date;
}

/** The number in a column; undefined if the field is empty. */
function numberOf(fileName: string, line: CsvLine, column: string): number | undefined {
  const text = line[column] ?? '';
  const value = Number(text);
  if (!Number.isFinite(value)) {
    throw new Error(`${fileName}: "${text}" in column ${column} is not a number.`);
  }
  return text.trim() === '' ? undefined : value;
}

function instantsOf(asset: { results: Result[] }): number[] {
  return asset.results.map((result) => Date.parse(result.value_date));
}

/** §2.8 leaves open the unit of the metadata's dates; here it is epoch milliseconds, as in DateRange (§2.3). */
function periodOf(fileName: string, instants: number[]): { start_date: number; stop_date: number } {
  if (instants.length === 0) {
    throw new Error(`${fileName}: the file has no rows.`);
  }
  return {
    start_date: instants.reduce((first, instant) => Math.min(first, instant)),
    stop_date: instants.reduce((last, instant) => Math.max(last, instant)),
  };
}
