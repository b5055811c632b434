import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { blocksOf } from '../support/doc-blocks.ts';
import {
  DATASET_ID,
  dataset,
  datasetReference,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  start,
  type TestBed,
} from '../support/harness.ts';

/** The settings that docs/federation.md recommends. */
const ONE_SECOND = { CACHE: 'memory', CACHE_METADATA_SECONDS: '1', CACHE_RESULTS_SECONDS: '0' };

const { name, asset_count: assetCount, description } = dataset.metadata;
const ENTITY = 'results { processingId }';
const RESULTS = { results: { processingId: 'p-1' } };

/**
 * What a gateway sends for one operation of a client that selects the fields of a dataset in turn with those of other subgraphs:
 * one fetch, two at the same time, and one more. Returns their data.
 */
async function fetchFour({ query }: TestBed, pause: () => void): Promise<unknown[]> {
  const variables = { references: [datasetReference()] };
  const ask = async (document: string) => {
    const { body } = await query(document, { variables });
    expect(body.errors).toBeUndefined();
    return body.data.dataset ?? body.data._entities[0];
  };
  const entity = (selection: string) => ask(ofEntities(`... on Dataset { ${selection} }`));
  const first = await ask(ofDataset('id name'));
  pause();
  const both = await Promise.all([entity(`assetCount ${ENTITY}`), entity('description')]);
  pause();
  return [first, ...both, await entity(`name ${ENTITY}`)];
}

const four = [{ id: DATASET_ID, name }, { assetCount, ...RESULTS }, { description }, { name, ...RESULTS }];

describe('3.40 The four fetches of one client operation', () => {
  it('are those for which docs/federation.md has the settings', () => {
    const shown = blocksOf('docs/federation.md').flatMap(({ language, code }) =>
      language === 'sh' ? [code.trim()] : [],
    );
    expect(shown).toEqual([
      Object.entries(ONE_SECOND)
        .map((setting) => setting.join('='))
        .join(' '),
    ]);
  });

  it.each<[Record<string, string>, metadataCalls: number, resultsCalls: number]>([
    [{}, 4, 2],
    [ONE_SECOND, 1, 2],
    [{ ...ONE_SECOND, CACHE_RESULTS_SECONDS: '1' }, 1, 1],
  ])(
    'make the fewest calls that the cache allows, however late they come in its second: %j',
    async (env, ...counts) => {
      const bed = await start({ env });
      const clock = stopClock();
      expect(await fetchFour(bed, () => clock.advance(499))).toEqual(four);
      const [ofMetadata, ofResults] = counts;
      expect(bed.calls().toSorted()).toEqual([
        ...Array(ofMetadata).fill(getSummary()),
        ...Array(ofResults).fill(postResults({})),
      ]);
    },
  );
});
