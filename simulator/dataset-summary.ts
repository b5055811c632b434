import type { SubgraphOptions } from '../src/server/app.ts';
import type { SimulatedAsset, SimulatedDataset } from './src/simulator.ts';

type DatasetSummary = NonNullable<SubgraphOptions['explorerPreset']>['datasets'][number];
type Sketch = DatasetSummary['sketches'][number];

/** How many assets of the large dataset a chart shows at first. */
const LINKED_ASSETS = 20;

/** The most metrics and assets of a dataset's sketches, and the most points of a line. */
const SKETCHED = { metrics: 4, assets: 2, points: 120 };

/** What the start page shows of a dataset. */
export function summaryOf({ metadata, results, generated, file }: SimulatedDataset): DatasetSummary {
  const assets = results?.assets ?? [];
  const metrics = generated?.metricNames ?? [
    ...new Set(assets.flatMap(rowsOf).flatMap(({ metrics: values }) => values.map(({ name }) => name))),
  ];
  const day = (milliseconds: unknown) => new Date(Number(milliseconds)).toISOString().slice(0, 10);
  return {
    id: metadata.id,
    name: String(metadata.name),
    description: String(metadata.description),
    assetCount: Number(metadata.asset_count),
    linkedAssetIds: generated?.assetIds.slice(0, LINKED_ASSETS),
    metrics,
    days: [day(metadata.start_date), day(metadata.stop_date)],
    attribution: String(metadata.attributionText),
    fileName: file?.name,
    sketches: sketchesOf(generated === undefined ? assets : someAssets(generated), metrics),
  };
}

/** The first assets of a dataset that is computed. */
function someAssets({ assetIds, entries }: NonNullable<SimulatedDataset['generated']>): SimulatedAsset[] {
  const ids = new Set(assetIds.slice(0, SKETCHED.assets));
  return Array.from(entries({ assetIds: ids, start: undefined, stop: undefined }), (entry) => JSON.parse(entry));
}

/** A sketch of each of the first metrics: a line for each of the first assets. */
function sketchesOf(assets: readonly SimulatedAsset[], metrics: readonly string[]): Sketch[] {
  const rows = assets.slice(0, SKETCHED.assets).map(rowsOf);
  return metrics.slice(0, SKETCHED.metrics).map((metric) => ({
    metric,
    lines: rows.map((own) =>
      meansOf(own.map(({ metrics: values }) => values.find(({ name }) => name === metric)?.value)),
    ),
  }));
}

interface Row {
  readonly metrics: readonly { readonly name: string; readonly value: number | null }[];
}

function rowsOf({ results }: SimulatedAsset): readonly Row[] {
  return (results ?? []) as unknown as readonly Row[];
}

/** The means of equal parts of a line; null for a part without a value. */
function meansOf(values: readonly (number | null | undefined)[]): (number | null)[] {
  const count = Math.min(SKETCHED.points, values.length);
  return Array.from({ length: count }, (_, part) => {
    const [from, to] = [part, part + 1].map((edge) => Math.round((edge * values.length) / count));
    const own = values.slice(from, to).filter((value) => typeof value === 'number');
    return own.length === 0 ? null : own.reduce((sum, value) => sum + value, 0) / own.length;
  });
}
