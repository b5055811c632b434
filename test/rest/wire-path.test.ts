import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { SimulatedDataset } from '../../simulator/src/simulator.ts';
import { errorAt } from '../support/expected-errors.ts';
import { dataset, getSummary, ofDataset, postResults, start, TOKEN } from '../support/harness.ts';

const bothAnswered = { data: { dataset: { name: 'Soil moisture', results: { processingId: 'p-1' } } } };

/*
 * Clause 3.8 of docs/contract.md in detail.
 * A dataset id cannot change the path. It is percent-encoded once. A dataset is null with `BAD_USER_INPUT` if its id is
 * empty, `.`, `..`, longer than 200 characters or not well-formed UTF-16, or has control characters. This holds whether
 * or not a call is needed.
 */
describe('3.8 The path parameter is encoded', () => {
  const datasetOf = (id: string): SimulatedDataset => ({ ...dataset, metadata: { ...dataset.metadata, id } });
  const longest = 'x'.repeat(200);

  const segments: [id: string, segment: string][] = [
    ['%2e%2e', '%252e%252e'],
    ['../../x', '..%2F..%2Fx'],
    ['a\\b', 'a%5Cb'],
    ['a?authToken=x&y=z', 'a%3FauthToken%3Dx%26y%3Dz'],
    ['https://evil.test/', 'https%3A%2F%2Fevil.test%2F'],
    ['é😀\u2028', '%C3%A9%F0%9F%98%80%E2%80%A8'],
    [longest, longest],
  ];

  it('exactly once', async () => {
    const bed = await start({ datasets: segments.map(([id]) => datasetOf(id)) });
    for (const [id, segment] of segments) {
      bed.simulator.clear();
      const { body } = await bed.query(ofDataset('id name results { processingId } download { url }'), {
        variables: { id },
      });
      const url = `${bed.simulator.url}/v1/collection/staticdataset/${segment}/download`;
      expect(body).toEqual({ data: { dataset: { id, ...bothAnswered.data.dataset, download: { url } } } });
      expect(bed.calls().toSorted()).toEqual([getSummary(segment), postResults({}, segment)]);
      expect(new URL(url).href).toBe(url);
    }
  });

  const control = Array.from({ length: 65 }, (_, index) => String.fromCharCode(index < 32 ? index : 0x5f + index));

  it('or refused, with or without a call to make', async () => {
    const bed = await start();
    const refused = { data: { dataset: null }, errors: [errorAt(['dataset'], 'BAD_USER_INPUT')] };
    const selections = [
      '__typename',
      'id',
      'download { url }',
      'name results { processingId } asset(assetId: "a") { name }',
    ];
    for (const id of ['', '.', '..', `${longest}x`, 'a\ud83d', '\ude00a', 'a\r\nX-Injected: y'])
      for (const selection of selections)
        for (const token of [TOKEN, null]) {
          const { body } = await bed.query(ofDataset(selection), { variables: { id }, token });
          expect([id, selection, body]).toEqual([id, selection, refused]);
        }
    expect(bed.calls()).toEqual([]);
  });

  it('or refused: every control character', async () => {
    const bed = await start();
    expect(new Set(control).size).toBe(65);
    const { body } = await bed.query('query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { id name } }', {
      variables: { ids: control.map((character) => `a${character}b`) },
    });
    expect(body).toEqual({
      data: { datasetsByIds: control.map(() => null) },
      errors: control.map((_, index) => errorAt(['datasetsByIds', index], 'BAD_USER_INPUT')),
    });
    expect(bed.calls()).toEqual([]);
  });

  it('so that no text changes the path', async () => {
    const bed = await start();
    const prefix = '/v1/collection/dataset/summary/';
    const character = fc.oneof(
      fc.constantFrom(...'./\\%?#:@;&=+ 2eEfF\r\n\0'),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
      fc.integer({ min: 0xd800, max: 0xdfff }).map((unit) => String.fromCharCode(unit)),
    );
    const text = fc.oneof(
      fc.array(character, { maxLength: 8 }).map((characters) => characters.join('')),
      fc.integer({ min: 195, max: 205 }).map((length) => '%'.repeat(length)),
    );
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 20 }), async (ids) => {
        bed.simulator.clear();
        const { body } = await bed.query('query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { name } }', {
          variables: { ids },
        });
        const refused = new Set(
          body.errors
            .filter((error: { extensions: { code: string } }) => error.extensions.code === 'BAD_USER_INPUT')
            .map((error: { path: [string, number] }) => ids[error.path[1]]),
        );
        for (const { method, target } of bed.simulator.requests) {
          expect(`${method} ${target.slice(0, prefix.length)}`).toBe(`GET ${prefix}`);
          expect(target.slice(prefix.length)).toMatch(/^[^/\\?#]+$/);
          expect(new URL(target, bed.simulator.url).pathname).toBe(target);
        }
        const asked = bed.simulator.requests.map(({ target }) => decodeURIComponent(target.slice(prefix.length)));
        expect(asked.toSorted()).toEqual(ids.filter((id) => !refused.has(id)).toSorted());
      }),
      { numRuns: 150 },
    );
  });
});
