import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fault, InterceptHandler, RecordedRequest, SimulatedDataset } from '../src/simulator/simulator.ts';
import {
  assetReference,
  assetResult,
  DATASET_ID,
  dataset,
  datasetReference,
  gate,
  getSummary,
  ofDataset,
  ofEntities,
  outline,
  postResults,
  start,
  type TestBed,
} from './harness.ts';

/** Time ranges as GraphQL and REST write them; of the dataset's three days they hold the first, the last two, none. */
const day1 = range('2024-01-01T00:00:00Z', '2024-01-01T00:00:00Z');
const day2on = range('2024-01-02T00:00:00Z', '2024-01-31T00:00:00Z');
const later = range('2025-01-01T00:00:00Z', '2026-01-01T00:00:00Z');

function range(start: string, stop: string) {
  return {
    graphql: `timeRange: { start: "${start}", stop: "${stop}" }`,
    rest: { time_range: { start_date: Date.parse(start), stop_date: Date.parse(stop) } },
  };
}

const ids = (...assetIds: string[]) => `assetIds: ${JSON.stringify(assetIds)}`;

const NODES = '{ series { nodes { asset { assetId } resultCount } } }';
const nodes = (assetIds: Iterable<string>, resultCount = 3) => ({
  series: { nodes: [...assetIds].map((assetId) => ({ asset: { assetId }, resultCount })) },
});

const NESTED = (series: string) => `{ series { nodes { asset { assetId series${series} { resultCount } } } } }`;
const nested = (assetIds: Iterable<string>, resultCount: number) => ({
  series: { nodes: [...assetIds].map((assetId) => ({ asset: { assetId, series: { resultCount } } })) },
});

const datasetOf = (assetIds: Iterable<string>, id = DATASET_ID): SimulatedDataset => ({
  ...dataset,
  metadata: { ...dataset.metadata, id },
  results: { assets: [...assetIds].map(assetResult) },
});

const ENTITIES = ofEntities('... on Asset { assetId name } ... on Dataset { id asset(assetId: "b") { name } }');

const numbered = (prefix: string, count: number) => Array.from({ length: count }, (_, index) => `${prefix}${index}`);

/** The asset ids of a results call; undefined where it restricts none. */
const askedFor = ({ body }: RecordedRequest): string[] | undefined => JSON.parse(body).mo_ids;

/** Answers results calls alone. */
const onResults =
  (response: (request: RecordedRequest) => Fault | undefined | Promise<Fault | undefined>): InterceptHandler =>
  (request) =>
    request.operation === 'getDatasetResults' ? response(request) : undefined;

/** The results calls made so far, the asset ids of each in alphabetical order: which one is first is nobody's concern. */
const filters = (bed: TestBed) =>
  (bed.filters() as { mo_ids?: string[] }[]).map(({ mo_ids, ...others }) => ({
    ...(mo_ids && { mo_ids: mo_ids.toSorted() }),
    ...others,
  }));

describe('3.2 Fewest calls', () => {
  interface Case {
    title: string;
    selection: string;
    data: object;
    filters: object[];
  }

  const rows: Case[] = [
    {
      title: 'identical filters share one POST, however they are written',
      selection: `
        one: results(filter: { ${ids('a', 'b')}, timeRange: { start: "2024-01-01T00:00:00Z", stop: 1704067200000 } }) ${NODES}
        two: results(filter: { timeRange: { stop: "1704067200000", start: "2024-01-01T01:00:00+01:00" }, ${ids('a', 'b', 'a')} }) ${NODES}`,
      data: { one: nodes('ab', 1), two: nodes('ab', 1) },
      filters: [{ mo_ids: ['a', 'b'], ...day1.rest }],
    },
    {
      title: 'lists, single assets and their series are put together into one POST',
      selection: `
        list: results(filter: { ${ids('b')} }) ${NODES}
        attributes: asset(assetId: "c") { name }
        series: asset(assetId: "a") { series { resultCount } }`,
      data: { list: nodes('b'), attributes: { name: 'Field c' }, series: { series: { resultCount: 3 } } },
      filters: [{ mo_ids: ['a', 'b', 'c'] }],
    },
    {
      title: 'overlapping lists of one time range are put together into one POST',
      selection: `
        one: results(filter: { ${ids('a', 'b')}, ${day1.graphql} }) ${NODES}
        two: results(filter: { ${ids('b', 'c')}, ${day1.graphql} }) ${NODES}
        three: results(filter: { ${ids('b', 'a')}, ${day1.graphql} }) ${NODES}`,
      data: { one: nodes('ab', 1), two: nodes('bc', 1), three: nodes('ab', 1) },
      filters: [{ mo_ids: ['a', 'b', 'c'], ...day1.rest }],
    },
    {
      title: 'two time ranges are two POSTs',
      selection: `
        one: results(filter: { ${ids('a')}, ${day1.graphql} }) ${NODES}
        two: results(filter: { ${ids('a')}, ${day2on.graphql} }) ${NODES}`,
      data: { one: nodes('a', 1), two: nodes('a', 2) },
      filters: [
        { mo_ids: ['a'], ...day1.rest },
        { mo_ids: ['a'], ...day2on.rest },
      ],
    },
    {
      title: 'ranges that differ in one bound only are different',
      selection: `
        both: results(filter: { ${day1.graphql} }) ${NODES}
        start: results(filter: { timeRange: { start: 1704067200000 } }) ${NODES}
        stop: results(filter: { timeRange: { stop: 1704067200000 } }) ${NODES}`,
      data: { both: nodes('abc', 1), start: nodes('abc', 3), stop: nodes('abc', 1) },
      filters: [day1.rest, { time_range: { start_date: 1704067200000 } }, { time_range: { stop_date: 1704067200000 } }],
    },
    {
      title: 'a filter beside no filter is one POST',
      selection: `all: results ${NODES} some: results(filter: { ${ids('c', 'a')} }) ${NODES}`,
      data: { all: nodes('abc'), some: nodes('ac') },
      filters: [{}],
    },
    {
      title: 'a filter beside all assets of the same time range is one POST, beside those of another two',
      selection: `
        all: results(filter: { ${day1.graphql} }) ${NODES}
        same: results(filter: { ${ids('a')}, ${day1.graphql} }) ${NODES}
        other: results(filter: { ${ids('a')}, ${day2on.graphql} }) ${NODES}`,
      data: { all: nodes('abc', 1), same: nodes('a', 1), other: nodes('a', 2) },
      filters: [day1.rest, { mo_ids: ['a'], ...day2on.rest }],
    },
    {
      title: 'attributes ride along with the series of a time range',
      selection: `asset(assetId: "a") { name series(${day1.graphql}) { resultCount } }`,
      data: { asset: { name: 'Field a', series: { resultCount: 1 } } },
      filters: [{ mo_ids: ['a'], ...day1.rest }],
    },
    {
      title: 'attributes ride along with a list of a time range',
      selection: `
        results(filter: { ${ids('a', 'b')}, ${day1.graphql} }) ${NODES}
        asset(assetId: "b") { name }`,
      data: { results: nodes('ab', 1), asset: { name: 'Field b' } },
      filters: [{ mo_ids: ['a', 'b'], ...day1.rest }],
    },
    {
      title: 'attributes ride along with all assets, of all time or of a time range',
      selection: `
        results(filter: { ${day1.graphql} }) ${NODES}
        asset(assetId: "b") { name }`,
      data: { results: nodes('abc', 1), asset: { name: 'Field b' } },
      filters: [day1.rest],
    },
    {
      title: 'attributes that the POSTs of the time ranges lack are asked for without one, together in one POST',
      selection: `
        one: asset(assetId: "a") { name series(${later.graphql}) { resultCount } }
        two: asset(assetId: "b") { name series(${later.graphql}) { resultCount } series1: series(${day1.graphql}) { resultCount } }
        three: asset(assetId: "c") { name series(timeRange: { start: 1800000000000 }) { resultCount } }`,
      data: {
        one: { name: 'Field a', series: null },
        two: { name: 'Field b', series: null, series1: { resultCount: 1 } },
        three: { name: 'Field c', series: null },
      },
      filters: [
        { mo_ids: ['a', 'b'], ...later.rest },
        { mo_ids: ['b'], ...day1.rest },
        { mo_ids: ['c'], time_range: { start_date: 1800000000000 } },
        { mo_ids: ['a', 'c'] },
      ],
    },
    {
      title: 'attributes that all assets of a time range lack are asked for without one',
      selection: `results(filter: { ${later.graphql} }) ${NODES} asset(assetId: "a") { name }`,
      data: { results: nodes(''), asset: { name: 'Field a' } },
      filters: [later.rest, { mo_ids: ['a'] }],
    },
    {
      title: 'an asset that the service does not report is asked for once',
      selection: `
        attributes: asset(assetId: "x") { name }
        both: asset(assetId: "y") { name series { resultCount } }
        series: asset(assetId: "z") { series { resultCount } }`,
      data: { attributes: null, both: null, series: null },
      filters: [{ mo_ids: ['x', 'y', 'z'] }],
    },
    {
      title: 'the attributes of entries come with the entries',
      selection: `results(filter: { ${ids('a')}, ${day1.graphql} }) { series { nodes { asset { name surfaceAreaM2 } } } }`,
      data: { results: { series: { nodes: [{ asset: { name: 'Field a', surfaceAreaM2: 1200.5 } }] } } },
      filters: [{ mo_ids: ['a'], ...day1.rest }],
    },
    {
      title: 'the series of the assets of entries are one POST more',
      selection: `results ${NESTED(`(${day1.graphql})`)}`,
      data: { results: nested('abc', 1) },
      filters: [{}, { mo_ids: ['a', 'b', 'c'], ...day1.rest }],
    },
    {
      title: 'the series of the assets of entries are no POST more where these entries hold them: of all assets',
      selection: `results ${NESTED('')}`,
      data: { results: nested('abc', 3) },
      filters: [{}],
    },
    {
      title: 'the series of the assets of entries are no POST more where these entries hold them: of a list',
      selection: `results(filter: { ${ids('a', 'b')}, ${day1.graphql} }) ${NESTED(`(${day1.graphql})`)}`,
      data: { results: nested('ab', 1) },
      filters: [{ mo_ids: ['a', 'b'], ...day1.rest }],
    },
    {
      title: 'the series of the assets of entries are no POST more where another filter holds them',
      selection: `
        results ${NESTED(`(${day1.graphql})`)}
        beside: results(filter: { ${day1.graphql} }) ${NODES}`,
      data: { results: nested('abc', 1), beside: nodes('abc', 1) },
      filters: [{}, day1.rest],
    },
  ];

  it.each(rows)('$title', async ({ selection, data, filters: expected }) => {
    const bed = await start();
    const { body } = await bed.query(ofDataset(selection));
    expect(body).toEqual({ data: { dataset: data } });
    expect(anyOrder(filters(bed))).toEqual(anyOrder(expected));
  });

  it('makes one call each for the metadata and the results', async () => {
    const { query, calls } = await start();
    const { body } = await query(ofDataset(`name results ${NODES}`));
    expect(body).toEqual({ data: { dataset: { name: 'Soil moisture', results: nodes('abc') } } });
    expect(calls().toSorted()).toEqual([getSummary(), postResults({})]);
  });

  it('makes one GET and one POST for a dataset under twenty aliases', async () => {
    const { query, calls } = await start();
    const aliases = numbered('alias', 20);
    const { body } = await query(
      `{ ${aliases.map((alias) => `${alias}: dataset(id: "${DATASET_ID}") { id name results ${NODES} }`).join(' ')} }`,
    );
    const expected = { id: DATASET_ID, name: 'Soil moisture', results: nodes('abc') };
    expect(body).toEqual({ data: Object.fromEntries(aliases.map((alias) => [alias, expected])) });
    expect(calls().toSorted()).toEqual([getSummary(), postResults({})]);
  });

  it('makes a GET for each of twenty distinct datasets', async () => {
    const datasetIds = numbered('dataset', 20);
    const { query, calls } = await start({ datasets: datasetIds.map((id) => datasetOf('a', id)) });
    const { body } = await query(
      `{ ${datasetIds.map((id) => `${id}: dataset(id: "${id}") { id assetCount }`).join(' ')} }`,
    );
    expect(body).toEqual({ data: Object.fromEntries(datasetIds.map((id) => [id, { id, assetCount: 3 }])) });
    expect(calls().toSorted()).toEqual(datasetIds.map((id) => getSummary(id)).toSorted());
  });

  it('makes the calls of a repeated id in a list once', async () => {
    const { query, calls } = await start({ datasets: [datasetOf('a', 'one'), datasetOf('b', 'two')] });
    const { body } = await query(`{ datasets(ids: ["one", "two", "one", "one"]) { id name results ${NODES} } }`);
    const [one, two] = [
      { id: 'one', name: 'Soil moisture', results: nodes('a') },
      { id: 'two', name: 'Soil moisture', results: nodes('b') },
    ];
    expect(body).toEqual({ data: { datasets: [one, two, one, one] } });
    expect(calls().toSorted()).toEqual([
      getSummary('one'),
      getSummary('two'),
      postResults({}, 'one'),
      postResults({}, 'two'),
    ]);
  });

  it('never puts assets of two datasets together', async () => {
    const { query, calls } = await start({ datasets: [datasetOf('a', 'one'), datasetOf('a', 'two')] });
    await query('{ datasets(ids: ["one", "two"]) { asset(assetId: "a") { name } } }');
    expect(calls().toSorted()).toEqual([postResults({ mo_ids: ['a'] }, 'one'), postResults({ mo_ids: ['a'] }, 'two')]);
  });

  it('makes one POST for fifty single assets', async () => {
    const assetIds = numbered('asset', 50);
    const bed = await start({ datasets: [datasetOf(assetIds)] });
    const { body } = await bed.query(
      ofDataset(assetIds.map((id) => `${id}: asset(assetId: "${id}") { name }`).join(' ')),
    );
    const data = Object.fromEntries(assetIds.map((id) => [id, { name: `Field ${id}` }]));
    expect(body).toEqual({ data: { dataset: data } });
    expect(filters(bed)).toEqual([{ mo_ids: assetIds.toSorted() }]);
  });

  it('makes one POST for fifty Asset references', async () => {
    const assetIds = numbered('asset', 50);
    const bed = await start({ datasets: [datasetOf(assetIds)] });
    const { body } = await bed.query(ENTITIES, {
      variables: { references: assetIds.map((assetId) => assetReference(assetId)) },
    });
    expect(body).toEqual({ data: { _entities: assetIds.map((assetId) => ({ assetId, name: `Field ${assetId}` })) } });
    expect(filters(bed)).toEqual([{ mo_ids: assetIds.toSorted() }]);
  });

  it('puts the wants of Dataset and of Asset references into one POST', async () => {
    const bed = await start();
    const { body } = await bed.query(ENTITIES, {
      variables: {
        references: [assetReference('a'), datasetReference(), assetReference('c')],
      },
    });
    expect(body).toEqual({
      data: {
        _entities: [
          { assetId: 'a', name: 'Field a' },
          { id: DATASET_ID, asset: { name: 'Field b' } },
          { assetId: 'c', name: 'Field c' },
        ],
      },
    });
    expect(filters(bed)).toEqual([{ mo_ids: ['a', 'b', 'c'] }]);
  });

  it('asks for assets that an unfiltered answer lacks together, and only once', async () => {
    const bed = await start({ datasets: [datasetOf('abcd')] });
    bed.simulator.intercept(onResults((request) => (askedFor(request) ? undefined : { body: resultsOf('ad') })));
    const { body } = await bed.query(
      ofDataset(`
        all: results ${NODES}
        some: results(filter: { ${ids('b', 'a', 'x')} }) ${NODES}
        lacking: asset(assetId: "c") { name }
        held: asset(assetId: "d") { name }
        unknown: asset(assetId: "y") { name }`),
    );
    expect(body).toEqual({
      data: {
        dataset: {
          all: nodes('ad'),
          some: nodes('ab'),
          lacking: { name: 'Field c' },
          held: { name: 'Field d' },
          unknown: null,
        },
      },
    });
    expect(filters(bed)).toEqual([{}, { mo_ids: ['b', 'c', 'x', 'y'] }]);
  });

  it('takes attributes from a time range where it holds the asset, and asks for the others only', async () => {
    const [a, b, c] = [assetResult('a'), assetResult('b'), assetResult('c')];
    const lateAsset = { ...b, results: b.results.slice(1) };
    const bed = await start({ datasets: [{ ...dataset, results: { assets: [a, lateAsset, c] } }] });
    const selection = ['a', 'b', 'c', 'x']
      .map((id) => `${id}: asset(assetId: "${id}") { name series(${day1.graphql}) { resultCount } }`)
      .join(' ');
    const { body } = await bed.query(ofDataset(selection));
    const onTime = { resultCount: 1 };
    expect(body).toEqual({
      data: {
        dataset: {
          a: { name: 'Field a', series: onTime },
          b: { name: 'Field b', series: null },
          c: { name: 'Field c', series: onTime },
          x: null,
        },
      },
    });
    expect(filters(bed)).toEqual([{ mo_ids: ['a', 'b', 'c', 'x'], ...day1.rest }, { mo_ids: ['b', 'x'] }]);
  });

  describe('ASSET_IDS_PER_CALL', () => {
    const ask = (assetIds: readonly string[]) => ofDataset(`results(filter: { ${ids(...assetIds)} }) ${NODES}`);

    it.each([
      { title: 'the limit', count: 3, sizes: [3] },
      { title: 'one more', count: 4, sizes: [3, 1] },
      { title: 'twice the limit', count: 6, sizes: [3, 3] },
      { title: 'one more than twice the limit', count: 7, sizes: [3, 3, 1] },
    ])('cuts a filter of $title into calls of $sizes', async ({ count, sizes }) => {
      const assetIds = numbered('asset', count);
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '3' }, datasets: [datasetOf(assetIds)] });
      const { body } = await bed.query(ask(assetIds));
      expect(body).toEqual({ data: { dataset: { results: nodes(assetIds) } } });
      expect(anyOrder(bed.filters())).toEqual(
        anyOrder(sizes.map((size, call) => ({ mo_ids: assetIds.slice(3 * call, 3 * call + size) }))),
      );
    });

    it.each([
      { count: 500, sizes: [500] },
      { count: 501, sizes: [500, 1] },
    ])('is 500 unless set: $count assets are calls of $sizes', async ({ count, sizes }) => {
      const bed = await start({ datasets: [datasetOf([])] });
      const { body } = await bed.query(ask(numbered('asset', count)));
      expect(body).toEqual({ data: { dataset: { results: nodes([]) } } });
      expect(bed.simulator.requests.map((request) => askedFor(request)?.length).toSorted()).toEqual(sizes.toSorted());
    });

    it('cuts what is put together', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2' }, datasets: [datasetOf('abcde')] });
      const { body } = await bed.query(
        ofDataset(`
          list: results(filter: { ${ids('a', 'b', 'c')} }) ${NODES}
          d: asset(assetId: "d") { name }
          e: asset(assetId: "e") { name }`),
      );
      expect(body).toEqual({
        data: { dataset: { list: nodes('abc'), d: { name: 'Field d' }, e: { name: 'Field e' } } },
      });
      const asked = bed.simulator.requests.map((request) => askedFor(request) ?? []);
      expect(asked.map(({ length }) => length).toSorted()).toEqual([1, 2, 2]);
      expect(asked.flat().toSorted()).toEqual([...'abcde']);
    });

    it('joins the answers in the order of the calls, whichever comes first', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2' }, datasets: [datasetOf('abcde')] });
      const sent = { ed: gate(), cb: gate(), a: gate() };
      bed.simulator.intercept(
        onResults(async (request) => {
          const asked = askedFor(request)?.join('') as keyof typeof sent;
          await { ed: sent.cb, cb: sent.a, a: undefined }[asked]?.opened;
          request.outcome.then(sent[asked].open);
          return undefined;
        }),
      );
      const { body } = await bed.query(ask([...'edcba']));
      expect(body).toEqual({ data: { dataset: { results: nodes(['d', 'e', 'b', 'c', 'a']) } } });
    });
  });
});

describe('3.3 Merging is watched', () => {
  /** A service that does not read mo_ids: it sends all that it has. */
  const everything = onResults(() => ({ body: resultsOf('abc') }));
  const warnings = ({ log }: TestBed) => log.filter((line) => JSON.parse(line).level === 40);
  /** Two filters that may be put together. */
  const MERGED = ofDataset(`a: results(filter: { ${ids('a')} }) ${NODES} b: results(filter: { ${ids('b')} }) ${NODES}`);

  describe('an answer that holds an asset not asked for', () => {
    it('makes the parts of a merged call be asked for one by one and unchunked', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2' }, datasets: [datasetOf('abcde')] });
      bed.simulator.intercept(inStep(3, { body: resultsOf('abcde') }));
      const { body } = await bed.query(
        ofDataset(`
          list: results(filter: { ${ids('a', 'b', 'c')} }) ${NODES}
          attributes: asset(assetId: "d") { name }
          series: asset(assetId: "e") { series { asset { name } resultCount } }
          lacking: asset(assetId: "x") { name }`),
      );
      expect(body).toEqual({
        data: {
          dataset: {
            // An unmerged answer is passed on as received.
            list: nodes('abcde'),
            attributes: { name: 'Field d' },
            series: { series: { asset: { name: 'Field e' }, resultCount: 3 } },
            lacking: null,
          },
        },
      });
      const [first, second, third, ...apart] = filters(bed);
      expect([first, second, third].flatMap((filter) => filter?.mo_ids).toSorted()).toEqual([...'abcdex']);
      expect(anyOrder(apart)).toEqual(
        anyOrder([{ mo_ids: ['a', 'b', 'c'] }, { mo_ids: ['d'] }, { mo_ids: ['e'] }, { mo_ids: ['x'] }]),
      );
      expect(warnings(bed)).toHaveLength(1);
    });

    it('makes a chunked filter be asked for as a whole', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2' } });
      bed.simulator.intercept(inStep(2, { body: resultsOf('abc') }));
      const { body } = await bed.query(ofDataset(`results(filter: { ${ids('a', 'x', 'y')} }) ${NODES}`));
      expect(body).toEqual({ data: { dataset: { results: nodes('abc') } } });
      expect(anyOrder(filters(bed).slice(0, 2))).toEqual(anyOrder([{ mo_ids: ['a', 'x'] }, { mo_ids: ['y'] }]));
      expect(filters(bed).slice(2)).toEqual([{ mo_ids: ['a', 'x', 'y'] }]);
      expect(warnings(bed)).toHaveLength(1);
    });

    it('turns merging off for every later operation, with one warning only', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2' } });
      bed.simulator.intercept(everything);
      await Promise.all([bed.query(MERGED), bed.query(MERGED), bed.query(MERGED)]);
      expect(warnings(bed)).toHaveLength(1);
      expect(JSON.parse(warnings(bed)[0] ?? '')).toEqual({
        level: 40,
        time: expect.any(Number),
        pid: expect.any(Number),
        hostname: expect.any(String),
        msg: expect.any(String),
      });

      bed.simulator.intercept(undefined);
      bed.simulator.clear();
      const { body } = await bed.query(
        ofDataset(`
          all: results { series(first: 2) { nodes { asset { assetId series { resultCount } } } } }
          one: results(filter: { ${ids('b')} }) ${NODES}
          same: results(filter: { ${ids('b', 'b')} }) ${NODES}
          long: results(filter: { ${ids('a', 'b', 'x')} }) ${NODES}
          attributes: asset(assetId: "c") { name }
          riding: asset(assetId: "x") { name }`),
      );
      expect(body).toEqual({
        data: {
          dataset: {
            all: nested('ab', 3),
            one: nodes('b'),
            same: nodes('b'),
            long: nodes('ab'),
            attributes: { name: 'Field c' },
            riding: null,
          },
        },
      });
      expect(anyOrder(filters(bed))).toEqual(
        anyOrder([{}, { mo_ids: ['b'] }, { mo_ids: ['a', 'b', 'x'] }, { mo_ids: ['c'] }, { mo_ids: ['a'] }]),
      );

      bed.simulator.intercept(everything);
      await bed.query(MERGED);
      expect(warnings(bed)).toHaveLength(1);
    });

    it('is passed on as received to the one filter that asked, and says nothing of merging', async () => {
      const bed = await start();
      bed.simulator.intercept(everything);
      const single = ofDataset(`results(filter: { ${ids('a')} }) ${NODES}`);
      expect((await bed.query(single)).body).toEqual({ data: { dataset: { results: nodes('abc') } } });
      expect(warnings(bed)).toEqual([]);
      bed.simulator.intercept(undefined);
      await bed.query(MERGED);
      expect(filters(bed)).toEqual([{ mo_ids: ['a'] }, { mo_ids: ['a', 'b'] }]);
      expect(warnings(bed)).toEqual([]);
    });

    it('is passed on as received also while merging is off', async () => {
      const bed = await start();
      bed.simulator.intercept(everything);
      await bed.query(MERGED);
      bed.simulator.clear();
      const { body } = await bed.query(MERGED);
      expect(body).toEqual({ data: { dataset: { a: nodes('abc'), b: nodes('abc') } } });
      expect(anyOrder(filters(bed))).toEqual(anyOrder([{ mo_ids: ['a'] }, { mo_ids: ['b'] }]));
    });

    it('never gives the series of one asset as those of another', async () => {
      const bed = await start();
      bed.simulator.intercept(everything);
      const { body } = await bed.query(
        ofDataset(`
          results(filter: { ${ids('a')} }) ${NESTED('')}
          asset(assetId: "b") { name series(${day1.graphql}) { asset { assetId } } }`),
      );
      expect(body).toEqual({
        data: {
          dataset: { results: nested('abc', 3), asset: { name: 'Field b', series: { asset: { assetId: 'b' } } } },
        },
      });
    });
  });

  describe('a merged call that is refused', () => {
    /** Refuses calls that ask for the asset `b`, or for all. */
    const refuseB = (status: number) =>
      onResults((request) => ((askedFor(request) ?? 'b').includes('b') ? { status } : undefined));

    const THREE = ofDataset(`
      a: results(filter: { ${ids('a')} }) ${NODES}
      b: results(filter: { ${ids('b')} }) ${NODES}
      c: asset(assetId: "c") { name }`);

    it.each([
      { status: 400, code: 'BAD_USER_INPUT' },
      { status: 403, code: 'FORBIDDEN' },
      { status: 404, code: 'NOT_FOUND' },
      { status: 405, code: 'UPSTREAM_CONTRACT_ERROR' },
      { status: 409, code: 'CONFLICT' },
      { status: 418, code: 'UPSTREAM_INVALID_RESPONSE' },
    ])('with $status is asked for in its parts, each with a verdict of its own', async ({ status, code }) => {
      const bed = await start();
      bed.simulator.intercept(refuseB(status));
      expect(outline(await bed.query(THREE))).toEqual({
        data: { dataset: { a: nodes('a'), b: null, c: { name: 'Field c' } } },
        errors: [`dataset.b ${code}`],
      });
      expect(filters(bed)[0]).toEqual({ mo_ids: ['a', 'b', 'c'] });
      expect(anyOrder(filters(bed).slice(1))).toEqual(
        anyOrder([{ mo_ids: ['a'] }, { mo_ids: ['b'] }, { mo_ids: ['c'] }]),
      );

      bed.simulator.intercept(undefined);
      bed.simulator.clear();
      await bed.query(THREE);
      expect(filters(bed)).toEqual([{ mo_ids: ['a', 'b', 'c'] }]);
      expect(warnings(bed)).toEqual([]);
    });

    it.each([
      { status: 401, code: 'UNAUTHENTICATED' },
      { status: 429, code: 'RATE_LIMITED' },
      { status: 500, code: 'UPSTREAM_ERROR' },
      { status: 503, code: 'UPSTREAM_UNAVAILABLE' },
    ])('with $status is not asked for again', async ({ status, code }) => {
      const bed = await start();
      bed.simulator.intercept(refuseB(status));
      expect(outline(await bed.query(MERGED))).toEqual({
        data: { dataset: { a: null, b: null } },
        errors: [`dataset.a ${code}`, `dataset.b ${code}`],
      });
      expect(filters(bed)).toEqual([{ mo_ids: ['a', 'b'] }]);
    });

    it('may be one without a filter', async () => {
      const bed = await start();
      bed.simulator.intercept(refuseB(403));
      expect(
        outline(
          await bed.query(
            ofDataset(
              `all: results ${NODES} a: results(filter: { ${ids('a')} }) ${NODES} c: asset(assetId: "c") { name }`,
            ),
          ),
        ),
      ).toEqual({
        data: { dataset: { all: null, a: nodes('a'), c: { name: 'Field c' } } },
        errors: ['dataset.all FORBIDDEN'],
      });
      expect(filters(bed)[0]).toEqual({});
      expect(anyOrder(filters(bed).slice(1))).toEqual(anyOrder([{ mo_ids: ['a'] }, { mo_ids: ['c'] }]));
    });

    it('may be a list that attributes ride along with', async () => {
      const bed = await start();
      bed.simulator.intercept(refuseB(403));
      expect(
        outline(
          await bed.query(
            ofDataset(`list: results(filter: { ${ids('a', 'b')} }) ${NODES} a: asset(assetId: "a") { name }`),
          ),
        ),
      ).toEqual({ data: { dataset: { list: null, a: { name: 'Field a' } } }, errors: ['dataset.list FORBIDDEN'] });
      expect(filters(bed)).toEqual([{ mo_ids: ['a', 'b'] }, { mo_ids: ['a'] }]);
    });

    it('is cut into chunks again where a part is long, and each part gets all of its own', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2' }, datasets: [datasetOf('abcd')] });
      bed.simulator.intercept(
        onResults((request) => (askedFor(request)?.join('') === 'cd' ? { status: 403 } : undefined)),
      );
      const { body } = await bed.query(
        ofDataset(`
          one: results(filter: { ${ids('a', 'b', 'c')} }) ${NODES}
          two: results(filter: { ${ids('a', 'b', 'd')} }) ${NODES}`),
      );
      expect(body).toEqual({ data: { dataset: { one: nodes('abc'), two: nodes('abd') } } });
      expect(anyOrder(filters(bed))).toEqual(
        anyOrder([{ mo_ids: ['a', 'b'] }, { mo_ids: ['c'] }, { mo_ids: ['c', 'd'] }, { mo_ids: ['d'] }]),
      );
    });

    it('changes nothing for a part that another call has answered', async () => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL: '2', OPERATION_TIMEOUT_MS: '3000' } });
      const lacking = answerRead(bed);
      bed.simulator.intercept(
        onResults(async (request) => {
          const asked = askedFor(request)?.join('');
          if (asked === 'ac') lacking.follow(request);
          if (asked === 'ba') await lacking.opened;
          return asked?.includes('b') ? { status: 403 } : undefined;
        }),
      );
      const filter = (...assetIds: string[]) => `results(filter: { ${ids(...assetIds)}, ${later.graphql} }) ${NODES}`;
      const response = await bed.query(
        ofDataset(
          `one: ${filter('a', 'c')} two: ${filter('b', 'a')} three: ${filter('c', 'a')} asset(assetId: "c") { name }`,
        ),
      );
      expect(outline(response)).toEqual({
        data: { dataset: { one: nodes([]), two: null, three: nodes([]), asset: { name: 'Field c' } } },
        errors: ['dataset.two FORBIDDEN'],
      });
      expect(filters(bed)).toContainEqual({ mo_ids: ['c'] });
    });
  });
});

describe('3.2 and 3.3 ResultsRequests of one dataset, whichever they are', () => {
  const late = assetResult('b');
  const datasets = [
    {
      ...dataset,
      results: {
        ...dataset.results,
        assets: [
          assetResult('a'),
          { ...late, results: late.results.slice(1) },
          assetResult('c'),
          { ...assetResult('d'), results: [] },
        ],
      },
    },
  ];

  const assetId = fc.constantFrom(...'abcdx');
  const timeRange = fc.constantFrom('', day1.graphql, day2on.graphql, later.graphql);
  const results = (filter: string) =>
    `results(filter: { ${filter} }) { processingId series { nodes { asset { assetId name } resultCount } } }`;
  const list = fc
    .tuple(fc.array(assetId, { maxLength: 4 }), timeRange)
    .map(([assetIds, range]) => results(`${ids(...assetIds)} ${range}`));
  const all = timeRange.map(results);
  const asset = fc
    .tuple(assetId, fc.constantFrom('', 'name surfaceAreaM2'), fc.uniqueArray(timeRange, { maxLength: 2 }))
    .map(([id, attributes, ranges]) => {
      const series = ranges.map(
        (range, index) => `series${index}: series${range && `(${range})`} { resultCount asset { name } }`,
      );
      return `asset(assetId: "${id}") { assetId ${attributes} ${series.join(' ')} }`;
    });
  const wantsOf = (...kinds: fc.Arbitrary<string>[]) => fc.array(fc.oneof(...kinds), { minLength: 2, maxLength: 6 });

  /** The answer to these fields in one operation, and how many calls it made; the order of chunks is left out. */
  async function ask(bed: TestBed, fields: readonly string[]) {
    bed.simulator.clear();
    const response = await bed.query(ofDataset(fields.join(' ')));
    const body = JSON.parse(response.text, (key, value) =>
      key === 'nodes'
        ? value.toSorted((one: Node, other: Node) => (one.asset.assetId < other.asset.assetId ? -1 : 1))
        : value,
    );
    return { ...outline({ ...response, body }), posts: bed.filters().length };
  }
  type Node = { asset: { assetId: string } };

  /** Asks for all in one operation, and for each in one of its own. */
  async function compare(bed: TestBed, wants: readonly string[]) {
    const fields = wants.map((want, index) => `field${index}: ${want}`);
    const alone = [];
    for (const field of fields) alone.push(await ask(bed, [field]));
    const together = await ask(bed, fields);
    expect({ data: together.data, errors: together.errors }).toEqual({
      data: { dataset: Object.assign({}, ...alone.map(({ data }) => (data as { dataset: object }).dataset)) },
      errors: alone.flatMap(({ errors }) => errors).toSorted(),
    });
    return { together: together.posts, alone: alone.reduce((sum, { posts }) => sum + posts, 0) };
  }

  it.each(['500', '2'])(
    'get what each gets alone, with no more calls, %s assets a call',
    async (ASSET_IDS_PER_CALL) => {
      const bed = await start({ env: { ASSET_IDS_PER_CALL }, datasets });
      await fc.assert(
        fc.asyncProperty(wantsOf(list, all, asset), async (wants) => {
          const posts = await compare(bed, wants);
          expect(posts.together).toBeLessThanOrEqual(posts.alone);
        }),
        { numRuns: 100 },
      );
    },
  );

  it.each([
    ['500', 403],
    ['500', 404],
    ['2', 403],
  ])('get the verdict that each gets alone, %s assets a call, refused with %i', async (ASSET_IDS_PER_CALL, status) => {
    const bed = await start({ env: { ASSET_IDS_PER_CALL }, datasets });
    bed.simulator.intercept(onResults((request) => (askedFor(request)?.includes('b') ? { status } : undefined)));
    await fc.assert(
      fc.asyncProperty(wantsOf(list, asset), async (wants) => void (await compare(bed, wants))),
      { numRuns: 60 },
    );
  });

  it('get what each gets alone from a service that does not read asset ids', async () => {
    await fc.assert(
      fc.asyncProperty(wantsOf(list, asset), async (wants) => {
        const bed = await start({ datasets });
        // Nobody asks for `z`: with it every answer shows that the service reads no asset ids.
        bed.simulator.intercept(onResults(() => ({ body: resultsOf('abcdz') })));
        await compare(bed, wants);
      }),
      { numRuns: 40 },
    );
  });
});

describe('3.11 A POST that is given up', () => {
  /** Short, because a field that is never answered holds up the end of its test for that long. */
  const env = { OPERATION_TIMEOUT_MS: '3000', ASSET_IDS_PER_CALL: '2' };

  it('because a part of it failed does not hold up attributes that wait for it', async () => {
    const bed = await start({ env, datasets: [datasetOf('abcd')] });
    const lacking = answerRead(bed);
    bed.simulator.intercept(async (request) => {
      const asked = askedFor(request)?.join('');
      if (asked === 'c') return { hang: true };
      if (asked === 'd') lacking.follow(request);
      if (asked !== 'ab') return undefined;
      await lacking.opened;
      return { status: 500 };
    });
    const response = await bed.query(
      ofDataset(`
        results(filter: { ${ids('a', 'b', 'c')}, ${day1.graphql} }) ${NODES}
        asset(assetId: "d") { name series(${later.graphql}) { resultCount } }`),
    );
    expect(outline(response)).toEqual({
      data: { dataset: { results: null, asset: { name: 'Field d', series: null } } },
      errors: ['dataset.results UPSTREAM_ERROR'],
    });
    expect(filters(bed)).toContainEqual({ mo_ids: ['d'] });
  });

  it('with its dataset does not hold up attributes that wait for it', async () => {
    const bed = await start({ env });
    const lacking = answerRead(bed);
    bed.simulator.intercept(async (request) => {
      if (request.operation === 'getDatasetMetadata') {
        await lacking.opened;
        return { status: 404 };
      }
      if (askedFor(request)?.join('') === 'a') return { hang: true };
      lacking.follow(request);
      return undefined;
    });
    const response = await bed.query(
      ofEntities(`
        ... on Dataset { name results(filter: { ${ids('a')}, ${day1.graphql} }) ${NODES} }
        ... on Asset { name series(${later.graphql}) { resultCount } }`),
      { variables: { references: [datasetReference(), assetReference('b')] } },
    );
    expect(outline(response)).toEqual({
      data: { _entities: [null, { name: 'Field b', series: null }] },
      errors: ['_entities.0 NOT_FOUND'],
    });
  });

  it('with its dataset is made again for an asset that needs it later', async () => {
    const bed = await start({ env });
    const [underWay, givenUp] = [gate(), gate()];
    let firstOfRange = true;
    bed.simulator.intercept(async (request) => {
      if (request.operation === 'getDatasetMetadata') {
        await underWay.opened;
        return { status: 404 };
      }
      if (firstOfRange && 'time_range' in JSON.parse(request.body)) {
        firstOfRange = false;
        underWay.open();
        request.outcome.then(givenUp.open);
        return { hang: true };
      }
      await givenUp.opened;
      return undefined;
    });
    const response = await bed.query(
      ofEntities(`
        ... on Dataset { name asset(assetId: "a") { series(${day1.graphql}) { resultCount } } }
        ... on Asset { series { asset { series(${day1.graphql}) { resultCount } } } }`),
      { variables: { references: [datasetReference(), assetReference('a')] } },
    );
    expect(outline(response)).toEqual({
      data: { _entities: [null, { series: { asset: { series: { resultCount: 1 } } } }] },
      errors: ['_entities.0 NOT_FOUND'],
    });
  });

  it('with its dataset does not hold up attributes that were to come with it', async () => {
    const bed = await start({ env });
    const givenUp = answerRead(bed);
    bed.simulator.intercept(async (request) => {
      if (request.operation === 'getDatasetMetadata') {
        givenUp.follow(request);
        return { status: 404 };
      }
      if (askedFor(request)?.length !== 2) return undefined;
      await givenUp.opened;
      return { status: 403 };
    });
    const response = await bed.query(
      `query ($one: [_Any!]!, $two: [_Any!]!) {
        one: _entities(representations: $one) {
          ... on Dataset { name results(filter: { ${ids('a')}, ${day1.graphql} }) ${NODES} }
          ... on Asset { name }
        }
        two: _entities(representations: $two) { ... on Asset { series(${day1.graphql}) { resultCount } } }
      }`,
      { variables: { one: [datasetReference(), assetReference('a')], two: [assetReference('b')] } },
    );
    expect(outline(response)).toEqual({
      data: { one: [null, { name: 'Field a' }], two: [{ series: { resultCount: 1 } }] },
      errors: ['one.0 NOT_FOUND'],
    });
  });
});

/** Everything that the service knows of a dataset of these assets, as a body. */
function resultsOf(assetIds: Iterable<string>): string {
  return JSON.stringify({ ...dataset.results, assets: [...assetIds].map(assetResult) });
}

/** Answers the first calls when so many have arrived, so that none of them comes after what they cause. */
function inStep(count: number, fault: Fault): InterceptHandler {
  const all = gate();
  let arrived = 0;
  return async () => {
    arrived += 1;
    if (arrived === count) all.open();
    await all.opened;
    return fault;
  };
}

/** Opens when the answer to the call that it follows has been read. */
function answerRead(bed: TestBed) {
  const read = gate();
  return {
    opened: read.opened,
    follow: (request: RecordedRequest) =>
      // What the subgraph is asked after that answer it answers after having read that answer.
      void request.outcome.then(() => bed.query('{ __typename }')).then(read.open),
  };
}

/** Calls that start together arrive in any order. */
function anyOrder<T>(list: readonly T[]): T[] {
  return list.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
}
