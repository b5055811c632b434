import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { assetReference, assetResult, datasetReference, postResults, start, type TestBed } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

/** How many operations are tried. */
const CASES = randomCases(50);

/** A dataset of some 20 kB with its number in all values, so that no value of another one looks right. */
function datasetOf(number: number) {
  const assets = Array.from({ length: 30 + number }, (_, at) => ({
    ...assetResult(`a${at}`),
    results: Array.from({ length: 1 + ((at * 7 + number) % 12) }, (_, day) => ({
      value_date: `2024-01-${10 + day}`,
      metrics: [{ name: `m${number}`, value: number * 100_000 + at * 100 + day }],
    })),
  }));
  return { id: `d${number}`, metric: `m${number}`, assets };
}
const datasets = Array.from({ length: 6 }, (_, number) => datasetOf(number));
const simulated = datasets.map(({ id, assets }) => ({
  metadata: { id },
  results: { processing_id: `p-${id}`, source_id: 's', assets },
}));
type Dataset = (typeof datasets)[number];

const statisticsOf = ({ metric, assets }: Pick<Dataset, 'metric' | 'assets'>) => {
  const points = assets.flatMap(({ asset_id: assetId, results }) =>
    results.flatMap(({ metrics }) => metrics.map(({ value }) => ({ value, assetId }))),
  );
  // Their values ascend.
  return [{ name: metric, count: points.length, minimum: points.at(0), maximum: points.at(-1) }];
};

/** What is selected on results, and what it is. */
const selections: readonly { text: string; of: (dataset: Dataset) => object }[] = [
  {
    text: 'statistics { name count minimum { value assetId } maximum { value assetId } }',
    of: (dataset) => ({ statistics: statisticsOf(dataset) }),
  },
  {
    text: 'processingId byDate { dates metrics { counts } }',
    of: ({ id, assets }) => {
      const dates = assets.flatMap(({ results }) => results.map(({ value_date: date }) => date));
      const distinct = [...new Set(dates)].toSorted();
      const counts = distinct.map((date) => dates.filter((each) => each === date).length);
      return { processingId: `p-${id}`, byDate: { dates: distinct, metrics: [{ counts }] } };
    },
  },
  {
    text: 'series { nodes { asset { assetId } rows { valueDate } } totalCount } processingId',
    of: ({ id, assets }) => {
      const nodes = assets.map(({ asset_id, results }) => ({
        asset: { assetId: asset_id },
        rows: results.map(({ value_date }) => ({ valueDate: value_date })),
      }));
      return { series: { nodes, totalCount: nodes.length }, processingId: `p-${id}` };
    },
  },
  {
    text: 'series { edges { node { statistics { name count minimum { value assetId } maximum { value assetId } } } } }',
    of: ({ metric, assets }) => ({
      series: { edges: assets.map((asset) => ({ node: { statistics: statisticsOf({ metric, assets: [asset] }) } })) },
    }),
  },
  {
    text: 'series(first: 3) { nodes { rowCount } totalCount }',
    of: ({ assets }) => ({
      series: {
        nodes: assets.slice(0, 3).map(({ results }) => ({ rowCount: results.length })),
        totalCount: assets.length,
      },
    }),
  },
  { text: 'series { totalCount }', of: ({ assets }) => ({ series: { totalCount: assets.length } }) },
];

interface RootField {
  /** Without its alias, with `REFERENCES` for the variable. */
  readonly text: string;
  readonly references?: readonly object[];
  /** @param results what the selection on results is */
  readonly of: (results: (dataset: Dataset) => object) => unknown;
}

const some = fc.constantFrom(...datasets);
const assetIn = (dataset: Dataset) => fc.nat(dataset.assets.length - 1).map((at) => ({ dataset, at }));
const someAsset = some.chain(assetIn);

/** Entities of several datasets in any order. The more fields each has, the fewer of them are resolved in one turn. */
const entities: fc.Arbitrary<RootField> = fc
  .record({
    list: fc.array(fc.oneof({ weight: 1, arbitrary: some }, { weight: 12, arbitrary: someAsset }), {
      minLength: 1,
      maxLength: 12,
    }),
    fields: fc.constantFrom(0, 100, 480, 480),
    twice: fc.constantFrom(false, false, false, true),
    names: fc.constantFrom(false, false, false, false, true),
  })
  .map(({ list, fields, twice, names }) => {
    const keys = Array.from({ length: fields }, (_, at) => `k${at}`);
    const more = [
      ...keys.map((key) => `${key}: assetId`),
      ...(twice ? ['again: dataset { ...Read }'] : []),
      ...(names ? ['metricNames'] : []),
    ];
    return {
      text: `_entities(representations: REFERENCES) { ... on Dataset { ...Read } ... on Asset { dataset { ...Read } ${more.join(' ')} } }`,
      references: list.map((each) =>
        'at' in each ? assetReference(`a${each.at}`, each.dataset.id) : datasetReference(each.id),
      ),
      of: (results) =>
        list.map((each) => {
          if (!('at' in each)) return { results: results(each) };
          const dataset = { results: results(each.dataset) };
          return {
            dataset,
            ...Object.fromEntries(keys.map((key) => [key, `a${each.at}`])),
            ...(twice && { again: dataset }),
            ...(names && { metricNames: [each.dataset.metric] }),
          };
        }),
    };
  });

const named = fc.array(some, { minLength: 1, maxLength: 4 }).map(
  (list): RootField => ({
    text: `datasetsByIds(ids: ${JSON.stringify(list.map(({ id }) => id))}) { ...Read }`,
    of: (results) => list.map((dataset) => ({ results: results(dataset) })),
  }),
);

const cases = fc.record({
  fields: fc.array(fc.oneof({ weight: 1, arbitrary: named }, { weight: 2, arbitrary: entities }), {
    minLength: 1,
    maxLength: 3,
  }),
  selection: fc.constantFrom(...selections),
});

/** An operation with these root fields, with what it selects on results in one place. */
function operationOf(fields: readonly RootField[], selection: string) {
  const variables: Record<string, unknown> = {};
  const texts = fields.map(({ text, references }, at) => {
    if (references !== undefined) variables[`r${at}`] = references;
    return `f${at}: ${text.replace('REFERENCES', `$r${at}`)}`;
  });
  const declared = Object.keys(variables).map((name) => `$${name}: [_Any!]!`);
  const head = declared.length === 0 ? '' : `query (${declared.join()}) `;
  const document = `${head}{ ${texts.join(' ')} } fragment Read on Dataset { results { ${selection} } }`;
  return { document, variables };
}

/*
 * Clause 3.33 in detail: the readers of a response.
 * A response passes to the client while it arrives, or is held in part, only if all fields that read it are known before its
 * call: those of named datasets, and those of assets of `_entities`, by their representations. Fields that come later, and fields
 * that need all of it, have it held. So all fields have all values, whatever their order is and however many turns they take.
 */
describe('3.33 Results that several fields read', () => {
  it('are the same for each of them', { tags: ['random'], timeout: 120_000 }, async () => {
    const beds = await Promise.all(
      [4096, 8192].map((holdBytes) => start({ holdBytes, datasets: simulated, env: { MAX_ALIASES: '2000' } })),
    );
    await fc.assert(
      fc.asyncProperty(cases, fc.nat(1), async ({ fields, selection }, at) => {
        const { query, calls, simulator } = beds[at] as TestBed;
        simulator.clear();
        const { document, variables } = operationOf(fields, selection.text);
        const { body } = await query(document, { variables });
        const data = Object.fromEntries(fields.map((field, at) => [`f${at}`, field.of(selection.of)]));
        if (JSON.stringify(body) !== JSON.stringify({ data })) expect(body).toEqual({ data });
        const ofAll = calls().filter((call) => call.endsWith(' {}'));
        expect(new Set(ofAll).size).toBe(ofAll.length);
      }),
      { numRuns: CASES },
    );
  });

  /** Of so many assets some are sent before all have come. */
  const many = JSON.stringify({ assets: Array.from({ length: 12_000 }, (_, at) => assetResult(`a${at}`)) });

  /** Of a body that breaks off, only an operation that has begun to respond breaks. */
  async function passes(fields: readonly RootField[]): Promise<boolean> {
    const bed = await start({ holdBytes: 4096, datasets: simulated });
    const { document, variables } = operationOf(fields, 'series { nodes { version asset { assetId name } } }');
    bed.simulator.intercept(() => ({ body: many, cutAfterBytes: many.length - 100 }));
    try {
      const { body } = await bed.query(document, { variables });
      expect(body.errors?.[0]?.extensions.code).toBe('UPSTREAM_UNAVAILABLE');
      return false;
    } catch {
      return true;
    }
  }
  const of = () => ({});
  const entitiesOf = (...references: object[]): RootField => ({
    text: '_entities(representations: REFERENCES) { ... on Dataset { ...Read } ... on Asset { dataset { ...Read } } }',
    references,
    of,
  });
  const dataset = (id: string): RootField => ({ text: `dataset(id: "${id}") { ...Read }`, of });

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
