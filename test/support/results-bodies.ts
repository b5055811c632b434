/** An answer in which one asset has many rows; no two answers have a row in common. */
export function largeResponse(assetId: string, rowCount: number): string {
  const rows = Array.from(
    { length: rowCount },
    (_, index) =>
      `{"value_date":"${assetId}/${index}","metrics":[{"name":"moisture","value":${assetId}.${index}},{"name":"temperature","value":-${index}.5}]}`,
  );
  return `{"assets":[{"asset_id":"${assetId}","results":[${rows.join()}]}]}`;
}

/** A results response of one asset with these results. */
export const assets = (results: string) => `{"assets":[{"asset_id":"a","results":${results}}]}`;

/** A results response of one row with these metrics. */
export const rows = (metrics: string) => assets(`[{"value_date":"d","metrics":${metrics}}]`);
