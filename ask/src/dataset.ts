import * as z from 'zod';
import { sanitizeForTerminal } from '../../src/core/sanitize-for-terminal.ts';

const text = z.string().nullable();
const named = z.object({ id: text, name: text }).nullable();

/** The metadata of a dataset, as `question.ts` selects it. */
export const datasetModel = z.object({
  name: text,
  description: text,
  assetCount: z.number().nullable(),
  sharing: text,
  attributionText: text,
  attributionFile: text,
  processing: named,
  source: named,
  startDate: text,
  stopDate: text,
  startDateTime: text,
  stopDateTime: text,
});

/** An asset, with the number of its rows and the names of its metrics. */
export const assetModel = z.object({
  asset: z.object({
    assetId: z.string(),
    name: text,
    categories: z.array(z.string()).nullable(),
    centroid: z.object({ latitude: z.number(), longitude: z.number() }).nullable(),
    surfaceAreaM2: z.number().nullable(),
  }),
  version: text,
  rowCount: z.number().nullable(),
  metricNames: z.array(z.string()).nullable(),
});

/** Which asset a series is of. */
export const seriesAssetModel = z.object({
  asset: z.object({ assetId: z.string(), name: text }),
  version: text,
  metricNames: z.array(z.string()).nullable(),
});

/** The values of an asset's metrics. */
export const seriesModel = seriesAssetModel.extend({
  rowCount: z.number().nullish(),
  columns: z
    .object({
      valueDates: z.array(text),
      metrics: z.array(z.object({ name: z.string(), values: z.array(z.number().nullable()) })),
    })
    .nullable(),
});

/** The name of each series in charts and tables. It has the version if the asset has several. */
export function seriesNames(series: readonly Pick<z.output<typeof seriesAssetModel>, 'asset' | 'version'>[]): string[] {
  const versions = new Map<string, Set<unknown>>();
  for (const { asset, version } of series)
    versions.set(asset.assetId, (versions.get(asset.assetId) ?? new Set()).add(version));
  return series.map(({ asset, version }) => {
    const several = (versions.get(asset.assetId)?.size ?? 0) > 1 && version !== null;
    return sanitizeForTerminal(`${asset.name ?? asset.assetId}${several ? `, version ${version}` : ''}`);
  });
}
