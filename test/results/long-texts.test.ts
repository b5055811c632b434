import { describe, expect, it } from 'vitest';
import { ofDataset, start } from '../support/harness.ts';
import { errorsOf } from '../support/limits.ts';

/** The most bytes of a string of a results response, with its quotes. */
const MAX_STRING_BYTES = 2_097_152;

/** A body with this string, as JSON, in this place; and the selection that shows it. */
const places: Readonly<Record<string, readonly [body: (json: string) => string, selection: string]>> = {
  'an attribute': [
    (json) => `{"assets":[{"asset_id":"a","asset_name":${json}}]}`,
    'results { series { nodes { asset { name } } } }',
  ],
  'an attribute beside an odd one': [
    (json) => `{"assets":[{"asset_id":"a","asset_version":"odd","asset_name":${json}}]}`,
    'results { series { nodes { asset { name } } } }',
  ],
  processing_id: [(json) => `{"processing_id":${json},"assets":[]}`, 'results { processingId }'],
  'a date of a row': [
    (json) => `{"assets":[{"asset_id":"a","results":[{"value_date":${json},"metrics":[]}]}]}`,
    'results { series { nodes { rows { valueDate } } } }',
  ],
  'a name of a metric': [
    (json) => `{"assets":[{"asset_id":"a","results":[{"metrics":[{"name":${json}}]}]}]}`,
    'results { series { nodes { metricNames } } }',
  ],
};

const answered = async (body: string, selection: string) => {
  const bed = await start();
  bed.simulator.intercept(() => ({ body }));
  return bed.query(ofDataset(selection));
};

describe('3.17 A string of a results response', () => {
  it.each(Object.entries(places))('is as long as it may be: %s', async (_place, [body, selection]) => {
    for (const text of ['x'.repeat(MAX_STRING_BYTES - 2), '\\n'.repeat(MAX_STRING_BYTES / 2 - 1)]) {
      const answer = await answered(body(`"${text}"`), selection);
      expect(answer.text.includes(text)).toBe(true);
      const tooLong = await answered(body(`"${text} "`), selection);
      expect(errorsOf(tooLong)).toEqual([expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' })]);
      expect(JSON.stringify(tooLong.body)).not.toContain('xx');
    }
  });

  it.each([
    ['results', (long: string) => `{${long},"assets":[{"asset_id":"a","results":[{"metrics":[]}]}]}`],
    ['an asset', (long: string) => `{"assets":[{${long},"asset_id":"a","results":[{"metrics":[]}]}]}`],
    ['a row', (long: string) => `{"assets":[{"asset_id":"a","results":[{${long},"metrics":[]}]}]}`],
  ])('has any length in an unknown field of %s', async (_place, body) => {
    const answer = await answered(
      body(`"other":"${'x'.repeat(MAX_STRING_BYTES)}"`),
      'results { series { nodes { rows { metrics { name } } } } }',
    );
    expect(answer.body).toEqual({
      data: { dataset: { results: { series: { nodes: [{ rows: [{ metrics: [] }] }] } } } },
    });
  });

  it('makes the body invalid if it has no end', async () => {
    const answer = await answered(
      `{"assets":[],"other":"${'x'.repeat(MAX_STRING_BYTES)}`,
      'results { series { nodes { rowCount } } }',
    );
    expect(errorsOf(answer)).toEqual([expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' })]);
  });
});
