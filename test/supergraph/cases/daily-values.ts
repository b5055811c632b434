const DATES = 365;

export const METRICS = ['ndvi_mean', 'temperature', 'soil_moisture'];

/** A REST response with daily values of so many assets (67 kB each), and the nodes of a query for its rows. */
export function dailyValues(count: number) {
  const assets = Array.from({ length: count }, (_, asset) => {
    const results = Array.from({ length: DATES }, (_, day) => ({
      value_date: new Date(Date.UTC(2024, 0, 1 + day)).toISOString(),
      metrics: METRICS.map((name, metric) => ({ name, value: Math.sin((asset * DATES + day) * 3 + metric) })),
    }));
    return { asset_id: `asset-${asset}`, asset_name: `Côte ${asset}`, results };
  });
  const nodes = assets.map(({ asset_id, asset_name, results }) => ({
    asset: { assetId: asset_id, name: asset_name },
    rows: results.map(({ value_date, metrics }) => ({ valueDate: value_date, metrics })),
  }));
  return { rest: JSON.stringify({ assets }), nodes };
}
