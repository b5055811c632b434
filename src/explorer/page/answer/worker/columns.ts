/** The columns before the metrics, in the table and in CSV, as in the CSV of `ask`. */
export const LEADING = ['asset_id', 'asset_name', 'asset_version', 'value_date'];
