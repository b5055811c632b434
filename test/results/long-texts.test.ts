import { describe, expect, it } from 'vitest';
import { ofDataset, start } from '../support/harness.ts';
import { errorsOf } from '../support/limits.ts';

/** The most bytes of a row, an attribute or an id of a results response. */
const MAX_BYTES = 1 << 20;

/** A body with this string, as JSON, in this place; how many bytes are beside it; the selection that shows it, and the path of its error. */
const places: Readonly<
  Record<string, readonly [body: (json: string) => string, beside: number, selection: string, path: string]>
> = {
  'an attribute': [
    (json) => `{"assets":[{"asset_id":"a","asset_name":${json}}]}`,
    0,
    'results { series { nodes { asset { name } } } }',
    'dataset.results.series.nodes.0.asset.name',
  ],
  processing_id: [
    (json) => `{"processing_id":${json},"assets":[]}`,
    0,
    'results { processingId }',
    'dataset.results.processingId',
  ],
  'a date of a row': [
    (json) => `{"assets":[{"asset_id":"a","results":[{"value_date":${json},"metrics":[]}]}]}`,
    '{"value_date":,"metrics":[]}'.length,
    'results { series { nodes { rows { valueDate } } } }',
    'dataset.results.series.nodes.0.rows.0',
  ],
  'a name of a metric': [
    (json) => `{"assets":[{"asset_id":"a","results":[{"metrics":[{"name":${json}}]}]}]}`,
    '{"metrics":[{"name":}]}'.length,
    'results { series { nodes { metricNames } } }',
    'dataset.results.series.nodes.0.metricNames',
  ],
};

const answered = async (body: string, selection: string) => {
  const bed = await start();
  bed.simulator.intercept(() => ({ body }));
  return bed.query(ofDataset(selection));
};

describe('3.17 A string of a results response', () => {
  it.each(Object.entries(places))('is as long as it may be: %s', async (_place, [body, beside, selection, path]) => {
    const most = MAX_BYTES - beside - 2;
    for (const text of ['x'.repeat(most), '\\n'.repeat(most / 2), '\\n'.repeat(most / 2 + 1), 'x'.repeat(most + 1)]) {
      const answer = await answered(body(`"${text}"`), selection);
      expect(answer.text.includes(text)).toBe(text.length <= most);
      const errors = [expect.objectContaining({ path, code: 'UPSTREAM_RESPONSE_TOO_LARGE' })];
      expect(errorsOf(answer)).toEqual(text.length <= most ? undefined : errors);
    }
  });

  it('has any length in an unknown field', async () => {
    const long = `"other":"${'x'.repeat(MAX_BYTES)}"`;
    const answer = await answered(
      `{${long},"assets":[{${long},"asset_id":"a","results":[{"metrics":[]}]}]}`,
      'results { series { nodes { rows { metrics { name } } } } }',
    );
    expect(answer.body).toEqual({
      data: { dataset: { results: { series: { nodes: [{ rows: [{ metrics: [] }] }] } } } },
    });
  });

  it('makes a row null if both are too large, and no other one', async () => {
    const answer = await answered(
      `{"assets":[{"asset_id":"a","results":[{"metrics":[]},{"other":"${'x'.repeat(MAX_BYTES)}"},{"metrics":null}]}]}`,
      'results { series { nodes { rowCount rows { metrics { name } } } } }',
    );
    expect(answer.body.data.dataset.results.series.nodes).toEqual([
      { rowCount: 3, rows: [{ metrics: [] }, null, { metrics: null }] },
    ]);
    expect(errorsOf(answer)).toEqual([
      expect.objectContaining({
        path: 'dataset.results.series.nodes.0.rows.1',
        code: 'UPSTREAM_RESPONSE_TOO_LARGE',
      }),
    ]);
  });
});
