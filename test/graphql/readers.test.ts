import { describe, expect, it } from 'vitest';
import { assetReference, assetResult, datasetReference, postResults, start } from '../support/harness.ts';

/** A root field whose selection reads results, with REFERENCES for the variable. */
interface RootField {
  readonly text: string;
  readonly references?: readonly object[];
}

const dataset = (id: string): RootField => ({ text: `dataset(id: "${id}") { ...Read }` });
const entitiesOf = (...references: object[]): RootField => ({
  text: '_entities(representations: REFERENCES) { ... on Dataset { ...Read } ... on Asset { dataset { ...Read } } }',
  references,
});

/** Of so many assets some are sent before all have come. */
const many = JSON.stringify({ assets: Array.from({ length: 12_000 }, (_, at) => assetResult(`a${at}`)) });

/** Of a body that breaks off, only an operation that has begun to respond breaks. */
async function passes(fields: readonly RootField[]): Promise<boolean> {
  const bed = await start({ holdBytes: 4096 });
  bed.simulator.intercept(() => ({ status: 200, body: many, cutAfterBytes: many.length - 100 }));
  const lists = fields.flatMap(({ references }, at) =>
    references === undefined ? [] : [[`r${at}`, references] as const],
  );
  const head = lists.length === 0 ? '' : `query (${lists.map(([name]) => `$${name}: [_Any!]!`).join()})`;
  const texts = fields.map(({ text }, at) => `f${at}: ${text.replace('REFERENCES', `$r${at}`)}`);
  const read = 'fragment Read on Dataset { results { series { nodes { version asset { assetId name } } } } }';
  try {
    const { body } = await bed.query(`${head} { ${texts.join(' ')} } ${read}`, {
      variables: Object.fromEntries(lists),
    });
    expect(body.errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
    return false;
  } catch {
    return true;
  }
}

/*
 * Clause 3.33 in detail: the readers of a response.
 * A response passes to the client while it arrives, or is held in part, only if all fields that read it are known before its
 * call: those of named datasets, and those of assets of `_entities`, by their representations. Fields that come later, and fields
 * that need all of it, have it held. So all fields have all values, whatever their order is and however many turns they take:
 * test/oracle has random operations of several fields.
 */
describe('3.33 Results that several fields read', () => {
  it.each<[isPassing: boolean, title: string, fields: RootField[]]>([
    [true, 'a dataset', [dataset('d1')]],
    [true, 'two datasets', [dataset('d1'), dataset('d2')]],
    [true, 'a dataset as an entity', [entitiesOf(datasetReference('d1'))]],
    [true, 'the datasets of assets, each of one', [entitiesOf(assetReference('a1', 'd1'), assetReference('a1', 'd2'))]],
    [true, 'a dataset, and that of an asset of another', [dataset('d1'), entitiesOf(assetReference('a1', 'd2'))]],
    [false, 'a dataset twice', [dataset('d1'), dataset('d1')]],
    [false, 'the dataset of two assets', [entitiesOf(assetReference('a1', 'd1'), assetReference('a2', 'd1'))]],
    [false, 'the dataset of an asset twice', [entitiesOf(assetReference('a1', 'd1'), assetReference('a1', 'd1'))]],
    [false, 'a dataset, and that of an asset', [dataset('d1'), entitiesOf(assetReference('a1', 'd1'))]],
    [false, 'an asset and its dataset', [entitiesOf(assetReference('a1', 'd1'), datasetReference('d1'))]],
  ])('pass to one field, and are held for several: %s, %s', async (isPassing, _title, fields) => {
    expect(await passes(fields)).toBe(isPassing);
  });

  it.each([
    ['metricNames', ['last']],
    ['series', { rowCount: 3 }],
  ])('of one asset are held for a field that reads its rows, too: %s', async (field, value) => {
    const entries = Array.from({ length: 60 }, (_, at) => {
      const results = Array.from({ length: 3 }, () => ({ metrics: [{ name: at === 59 ? 'last' : 'm', value: at }] }));
      return { ...assetResult('a'), asset_version: at, results };
    });
    const bed = await start({ holdBytes: 4096, datasets: [{ metadata: { id: 'd' }, results: { assets: entries } }] });
    const { body } = await bed.query(
      `query ($r: [_Any!]!) {
        dataset(id: "d") { results(filter: { assetIds: ["a"] }) { statistics { name count } } }
        _entities(representations: $r) { ... on Asset { ${field} ${field === 'series' ? '{ rowCount }' : ''} } }
      }`,
      { variables: { r: [assetReference('a', 'd')] } },
    );
    const statistics = [
      { name: 'm', count: 177 },
      { name: 'last', count: 3 },
    ];
    expect(body).toEqual({ data: { dataset: { results: { statistics } }, _entities: [{ [field]: value }] } });
    expect(bed.calls()).toEqual([postResults({ mo_ids: ['a'] }, 'd')]);
  });
});
