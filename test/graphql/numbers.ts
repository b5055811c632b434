import { ofDataset, respondWith, type Setup, start, type TestBed } from '../support/harness.ts';

/** Answers with this number, written like this, in every int64 and every double field. */
export async function startWith(
  { int64 = 'null', double = 'null', int32 = 'null' },
  setup: Setup = {},
): Promise<TestBed> {
  const bed = await start(setup);
  respondWith(bed.simulator, {
    metadata: `{"asset_count":${int32},"start_date":${int64},"stop_date":${int64}}`,
    results: `{"assets":[{"asset_id":"a","asset_version":${int64},"parent_asset_name":"n","parent_asset_version":${int64},
      "asset_centroid_latitude":${double},"asset_centroid_longitude":${double},"asset_surface_area_m2":${double},
      "results":[{"metrics":[{"name":"m","value":${double}}]}]}]}`,
  });
  return bed;
}

export const ask = ({ query }: TestBed, fields: string) => query(ofDataset(fields));
