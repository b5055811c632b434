import { describe, expect, it } from 'vitest';
import {
  assetReference,
  assetResult,
  DATASET_ID,
  ofDataset,
  ofEntities,
  respondWith,
  start,
  times,
} from '../support/harness.ts';
import { errorsOf, exceedsWork, expectExecuted } from '../support/limits.ts';

describe('3.27 Texts of the service, as often as the client selects them', () => {
  const long = 'x'.repeat(20_000);
  const names = times(9, (index) => `n${index}: name`);

  it.each([
    [
      'processingId',
      `results { ${times(9, (index) => `p${index}: processingId`)} }`,
      2,
      'results { processingId again: processingId }',
    ],
    ['the name of a source in a fragment', 'source { ...Names }', 0, 'source { name again: name }'],
    [
      'the name of a source in an inline fragment',
      `source { ... on DatasetSource { ${names} } }`,
      0,
      'source { name again: name }',
    ],
  ])('%s', async (_title, selection, fit, allowed) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const metadata = { name: long, source_name: long };
    respondWith(bed.simulator, {
      metadata,
      results: {
        processing_id: long,
        assets: Array.from({ length: 9 }, (_, index) => assetResult(`a${index}`)),
      },
    });
    const fragment = selection.includes('...Names') ? ` fragment Names on DatasetSource { ${names} }` : '';
    const answer = await bed.query(`${ofDataset(selection)}${fragment}`);
    const codes = answer.body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
    expect(new Set(codes)).toEqual(new Set(['REQUEST_LIMIT_EXCEEDED']));
    expect(answer.text.split(long)).toHaveLength(fit + 1);
    const { text, body } = await bed.query(ofDataset(allowed));
    expect(body.errors).toBeUndefined();
    expect(text.split(long)).toHaveLength(3);
  });

  it('count under aliases in the series of one asset', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), asset_name: long }] } });
    const ask = (count: number) =>
      bed.query(
        ofDataset(`asset(assetId: "a") { series { asset { ${times(count, (index) => `n${index}: name`)} } } }`),
      );
    const fits = await ask(40);
    expect(fits.body.errors).toBeUndefined();
    expect(fits.body.data.dataset.asset.series.asset.n39).toBe(long);
    const errors = errorsOf(await ask(60));
    expect(errors).toContainEqual(exceedsWork('dataset.asset.series.asset.n59', 1_000_000));
    expect(errors).not.toContainEqual(exceedsWork('dataset.asset.series.asset.n39', 1_000_000));
  });

  it.each([['ids', 'results { series { nodes { asset { a: assetId b: assetId } } } }', 24, 51]])(
    'that cannot be null are written until they have reached the limit once more: %s',
    async (_, selection, fit, tooMany) => {
      const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
      const ask = (assets: number) => {
        const results = {
          assets: Array.from({ length: assets }, (__, index) => assetResult(`${index} ${'i'.repeat(20_000)}`)),
        };
        respondWith(bed.simulator, { metadata: { name: long }, results });
        return bed.query(ofDataset(selection));
      };
      expect((await ask(fit)).body.errors).toBeUndefined();
      await expect(ask(tooMany)).rejects.toThrow();
    },
  );
});

describe('3.27 Limits on what an operation asks for', () => {
  it('of results that pass, what is too much is null, and the ids are there', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' }, holdBytes: 4096 });
    const assets = Array.from({ length: 3000 }, (_, index) => ({ asset_id: `a${index}`, asset_name: 'x'.repeat(400) }));
    respondWith(bed.simulator, { results: { assets } });
    const { body } = await bed.query(ofDataset('results { series { nodes { asset { assetId name } } } }'));
    const { nodes } = body.data.dataset.results.series;
    expect(nodes.map(({ asset }: { asset: { assetId: string } }) => asset.assetId)).toEqual(
      assets.map(({ asset_id }) => asset_id),
    );
    const written = nodes.filter(({ asset }: { asset: { name: unknown } }) => asset.name !== null).length;
    expect(written).toBeGreaterThan(2000);
    expect(written).toBeLessThan(2500);
    expect(nodes.slice(written).every(({ asset }: { asset: { name: unknown } }) => asset.name === null)).toBe(true);
    expect(body.errors[0]).toMatchObject({
      path: ['dataset', 'results', 'series', 'nodes', written, 'asset', 'name'],
      extensions: { code: 'REQUEST_LIMIT_EXCEEDED' },
    });
  });

  it('MAX_OPERATION_WORK bytes of results: the rows of an asset that are too much are null, and those before them are sent', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const results = Array.from({ length: 6500 }, (_, day) => ({
      value_date: `day ${day}`,
      metrics: [{ name: 'm', value: day }],
    }));
    respondWith(bed.simulator, { results: { assets: [assetResult('a'), { ...assetResult('b'), results }] } });
    const rows = '{ valueDate metrics { name value } }';
    const ask = (count: number) =>
      bed.query(
        ofDataset(`results { series { nodes { version ${times(count, (index) => `r${index}: rows ${rows}`)} } } }`),
      );
    // Each has about 400 kB.
    const fit = 2;
    expect((await ask(fit)).body.errors).toBeUndefined();
    const tooMany = await ask(fit + 1);
    expect(errorsOf(tooMany)).toEqual(
      ['version', 'r0', 'r1', 'r2'].map((key) => exceedsWork(`dataset.results.series.nodes.1.${key}`, 1_000_000)),
    );
    const [small, large] = tooMany.body.data.dataset.results.series.nodes;
    expect(small[`r${fit}`]).toHaveLength(3);
    expect(large).toEqual({ version: null, r0: null, r1: null, r2: null });
  });

  it.each([
    ['rows that are passed over', 'rows(first: 1, offset: 4999) { valueDate }', 60],
    ['rows that are read for the latest', 'latest { valueDate }', 60],
    ['values of statistics', 'statistics { count }', 45],
  ])('work is also %s', async (_title, selection, fit) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const metrics = ['m', 'n'].map((name) => ({ name, value: 1 }));
    const results = Array.from({ length: 5000 }, () => ({ value_date: null, metrics }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const ask = (count: number) =>
      bed.query(ofDataset(`results { series { nodes { ${times(count, (index) => `f${index}: ${selection}`)} } } }`));
    expect((await ask(fit)).body.errors).toBeUndefined();
    const tooMany = 2 * fit;
    expect(errorsOf(await ask(tooMany))).toContainEqual(
      exceedsWork(`dataset.results.series.nodes.0.f${tooMany - 1}`, 1_000_000),
    );
  });

  it.each([0, 1, 2, 40])('a page of rows counts the longest row, wherever it is: at %d', async (at) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const results = Array.from({ length: 50 }, (_, row) => ({ value_date: 'x'.repeat(row === at ? 100_000 : 10) }));
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), results }] } });
    const ask = (count: number) =>
      bed.query(
        ofDataset(
          `results { series { nodes { ${times(count, (index) => `f${index}: rows(first: 45) { valueDate }`)} } } }`,
        ),
      );
    expect((await ask(9)).body.errors).toBeUndefined();
    expect(errorsOf(await ask(10))).toContainEqual(exceedsWork('dataset.results.series.nodes.0.f9', 1_000_000));
  });

  it('long texts of the service count as often as they are selected, but for the first time', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    // A character counts as 20.
    respondWith(bed.simulator, { metadata: { description: 'x'.repeat(4000) } });
    const ask = (aliases: number) => bed.query(ofDataset(times(aliases, (index) => `d${index}: description`)));
    expect((await ask(12)).body.data.dataset.d11).toHaveLength(4000);
    expect(errorsOf(await ask(14))).toEqual(
      Array.from({ length: 14 }, (_, index) => exceedsWork(`dataset.d${index}`, 1_000_000)),
    );
    const again = await bed.query('query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { id description } }', {
      variables: { ids: Array(14).fill(DATASET_ID) },
    });
    expect(errorsOf(again)).toEqual(
      [12, 13].map((index) => exceedsWork(`datasetsByIds.${index}.description`, 1_000_000)),
    );
    expect(again.body.data.datasetsByIds[11].description).toHaveLength(4000);
  });

  it.each([
    [
      'ids of datasets',
      (count: number) => `{ dataset(id: "${'x'.repeat(200)}") { ${times(count, (index) => `i${index}: id`)} } }`,
      480,
      'dataset',
    ],
    [
      'URLs',
      (count: number) =>
        `{ dataset(id: "${'x'.repeat(200)}") { download { ${times(count, (index) => `u${index}: url`)} } } }`,
      260,
      'dataset.download.u259',
    ],
  ])('long texts count: %s', async (_title, document, tooMany, path) => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '3000000' } });
    await expectExecuted(bed, document(200));
    expect(errorsOf(await bed.query(document(tooMany)))).toContainEqual(exceedsWork(path, 3_000_000));
  });

  it('assets that are asked for by their ids count', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    const ask = (count: number) =>
      bed.query(ofDataset(times(count, (index) => `a${index}: asset(assetId: "a") { name }`)));
    await expectExecuted(bed, ofDataset(times(14, (index) => `a${index}: asset(assetId: "a") { name }`)));
    expect(errorsOf(await ask(25))).toEqual([exceedsWork('dataset', 1_000_000)]);
    const references = (count: number) => ({ variables: { references: Array(count).fill(assetReference('a')) } });
    expect((await bed.query(ofEntities('... on Asset { name }'), references(14))).body.errors).toBeUndefined();
    expect(errorsOf(await bed.query(ofEntities('... on Asset { name }'), references(25)))).toContainEqual(
      exceedsWork('_entities.24', 1_000_000),
    );
  });

  it('download tickets count by the dataset, however often one is asked for', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000', DOWNLOAD_TICKET_SECRET: 's'.repeat(32) } });
    const ask = (datasets: number, aliases: number) =>
      bed.query(
        `query ($ids: [ID!]!) { datasetsByIds(ids: $ids) { download { ${times(aliases, (index) => `u${index}: ticketUrl`)} } } }`,
        { variables: { ids: Array.from({ length: datasets }, (_, index) => `d${index}`) } },
      );
    expect((await ask(1, 20)).body.errors).toBeUndefined();
    expect((await ask(6, 1)).body.errors).toBeUndefined();
    expect(errorsOf(await ask(7, 1))).toEqual([exceedsWork('datasetsByIds.6.download.u0', 1_000_000)]);
  });

  it('long attributes of an asset count as often as they are selected, however they are asked for', async () => {
    const bed = await start({ env: { MAX_OPERATION_WORK: '1000000' } });
    respondWith(bed.simulator, { results: { assets: [{ ...assetResult('a'), asset_name: 'x'.repeat(4000) }] } });
    const names = (count: number) => times(count, (index) => `n${index}: name`);
    const single = (count: number) => ofDataset(`asset(assetId: "a") { ${names(count)} }`);
    await expectExecuted(bed, single(10));
    expect(errorsOf(await bed.query(single(20)))).toEqual([exceedsWork('dataset.asset', 1_000_000)]);
    const references = (count: number) => ({ variables: { references: Array(count).fill(assetReference('a')) } });
    expect((await bed.query(ofEntities('... on Asset { name }'), references(7))).body.errors).toBeUndefined();
    expect(errorsOf(await bed.query(ofEntities('... on Asset { name }'), references(20)))).toContainEqual(
      exceedsWork('_entities.19', 1_000_000),
    );
    const page = (count: number) => ofDataset(`results { series { nodes { asset { ${names(count)} } } } }`);
    await expectExecuted(bed, page(100));
    expect(errorsOf(await bed.query(page(300)))).toContainEqual(
      exceedsWork('dataset.results.series.nodes.0.asset.n299', 1_000_000),
    );
    const needing = (count: number) =>
      ofDataset(`results { series { nodes { asset { ${names(count)} series { version } } } } }`);
    await expectExecuted(bed, needing(8));
    expect(errorsOf(await bed.query(needing(20)))).toEqual([
      exceedsWork('dataset.results.series.nodes.0.asset', 1_000_000),
    ]);
  });
});
