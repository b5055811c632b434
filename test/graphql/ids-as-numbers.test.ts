import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  DATASET_ID,
  getSummary,
  outline,
  postResults,
  start,
  type TestBed,
  TOKEN,
} from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';

const CASES = randomCases(20);

/** An id as JSON and GraphQL write it. */
interface Written {
  readonly text: string;
  /** The id of a variable, and of a literal. Undefined if it is none. */
  readonly variable: string | undefined;
  readonly literal: string | undefined;
}

/** Texts with what numbers look like in JSON. */
const text = fc
  .array(fc.constantFrom('"', '\\', ':', ',', '[', '{', '}', ' ', '-0', '1.5', '1e21', '9007199254740993', 'é'), {
    minLength: 1,
    maxLength: 8,
  })
  .map((parts) => parts.join(''))
  .map((id): Written => ({ text: JSON.stringify(id), variable: id, literal: id }));
const LIMIT = 2n ** 53n;
const integer = fc
  .oneof(
    fc.bigInt({ min: 0n, max: 99n }),
    fc.bigInt({ min: 10n ** 14n, max: 10n ** 17n }),
    fc.bigInt({ min: LIMIT - 9n, max: LIMIT + 9n }),
    fc.bigInt({ min: 10n ** 17n, max: 10n ** 40n }),
    fc.bigInt({ min: 10n ** 190n, max: 10n ** 198n }),
  )
  .chain((number) => fc.constantFrom(number, -number))
  .map((number): Written => {
    const isExact = number < LIMIT && number > -LIMIT;
    return { text: String(number), variable: isExact ? String(number) : undefined, literal: String(number) };
  });
const noId = fc
  .constantFrom('1.5', '-0.25', '1e21', '1E+300', '1e-7', '9007199254740993.0', '9007199254740993e0', '1e400')
  .map((number): Written => ({ text: number, variable: undefined, literal: undefined }));
const written = fc.oneof(
  { weight: 6, arbitrary: integer },
  { weight: 3, arbitrary: text },
  { weight: 1, arbitrary: noId },
);

const nameOf = (id: string) => `name of ${id}`;
const unique = (ids: readonly string[]) => [...new Set(ids)];
const summary = (id: string) => getSummary(encodeURIComponent(id));

/** A place in an operation that has ids. */
interface Place {
  readonly type: string;
  /** Whether it has one id. */
  readonly isSingle?: boolean;
  /** The operation without its head. @param value a variable or a literal */
  readonly selection: (value: string) => string;
  /** The value as JSON, or as a literal of GraphQL. */
  readonly value: (ids: readonly string[], key: (name: string) => string) => string;
  readonly data: (ids: readonly string[]) => unknown;
  readonly calls: (ids: readonly string[]) => readonly string[];
}

const inDataset = (selection: string) => `{ dataset(id: "${DATASET_ID}") { ${selection} } }`;
const list: Place['value'] = (ids) => `[${ids.join(', ')}]`;
const assets = (ids: readonly string[]) => ids.map((assetId) => ({ assetId, name: nameOf(assetId) }));
const filtered = (ids: readonly string[]) => ({ dataset: { results: { series: { totalCount: unique(ids).length } } } });
const callFor = (ids: readonly string[]) => [postResults({ mo_ids: unique(ids) })];
const single = { isSingle: true, type: 'ID!', value: ([id = '']: readonly string[]) => id };

const places: Readonly<Record<string, Place>> = {
  dataset: {
    ...single,
    selection: (value) => `{ dataset(id: ${value}) { id name } }`,
    data: ([id = '']) => ({ dataset: { id, name: nameOf(id) } }),
    calls: (ids) => ids.map(summary),
  },
  datasetsByIds: {
    type: '[ID!]!',
    selection: (value) => `{ datasetsByIds(ids: ${value}) { id name } }`,
    value: list,
    data: (ids) => ({ datasetsByIds: ids.map((id) => ({ id, name: nameOf(id) })) }),
    calls: (ids) => unique(ids).map(summary),
  },
  'a list with one id alone': {
    ...single,
    type: '[ID!]!',
    selection: (value) => `{ datasetsByIds(ids: ${value}) { id name } }`,
    data: ([id = '']) => ({ datasetsByIds: [{ id, name: nameOf(id) }] }),
    calls: (ids) => ids.map(summary),
  },
  asset: {
    ...single,
    selection: (value) => inDataset(`asset(assetId: ${value}) { assetId name }`),
    data: (ids) => ({ dataset: { asset: assets(ids)[0] } }),
    calls: callFor,
  },
  assetsByIds: {
    type: '[ID!]!',
    selection: (value) => inDataset(`assetsByIds(assetIds: ${value}) { assetId name }`),
    value: list,
    data: (ids) => ({ dataset: { assetsByIds: assets(ids) } }),
    calls: callFor,
  },
  filter: {
    type: 'ResultsFilterInput',
    selection: (value) => inDataset(`results(filter: ${value}) { series { totalCount } }`),
    value: (ids, key) => `{${key('assetIds')}: [${ids.join(',')}]}`,
    data: filtered,
    calls: callFor,
  },
  'the ids of a filter': {
    type: '[ID!]',
    selection: (value) => inDataset(`results(filter: {assetIds: ${value}}) { series { totalCount } }`),
    value: list,
    data: filtered,
    calls: callFor,
  },
  'an id of a filter': {
    ...single,
    selection: (value) => inDataset(`results(filter: {assetIds: ["first", ${value}]}) { series { totalCount } }`),
    data: (ids) => filtered(['first', ...ids]),
    calls: (ids) => callFor(['first', ...ids]),
  },
};

/** A value of a place in the four ways that a document can have it. */
const ways = ['variable', 'GET', 'literal', 'default'] as const;

async function ask(bed: TestBed, way: (typeof ways)[number], place: Place, ids: readonly Written[]): Promise<Answer> {
  const texts = ids.map(({ text }) => text);
  const json = place.value(texts, (name) => `"${name}"`);
  const literal = place.value(texts, (name) => name);
  if (way === 'literal') return postThrice(bed, place.selection(literal), '{}');
  if (way === 'default')
    return postThrice(bed, `query ($v: ${place.type} = ${literal}) ${place.selection('$v')}`, '{}');
  const query = `query ($v: ${place.type}) ${place.selection('$v')}`;
  return way === 'GET' ? getWith(bed, query, `{"v": ${json}}`) : postThrice(bed, query, `{"v": ${json}}`);
}

const headers = { authorization: `Bearer ${TOKEN}`, accept: 'application/json' };

/** Asks three times, with the same response and calls: the document is known from the second time on. */
async function postThrice(bed: TestBed, query: string, variables: string): Promise<Answer> {
  const options = {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: `{"query": ${JSON.stringify(query)}, "variables":${variables}}`,
  };
  const first = await bed.http('/graphql', options);
  const calls = bed.calls().toSorted();
  for (let time = 0; time < 2; time += 1) {
    bed.simulator.clear();
    const again = await bed.http('/graphql', options);
    expect(again.text).toBe(first.text);
    expect(bed.calls().toSorted()).toEqual(calls);
  }
  return first;
}

/** Asks by GET. */
function getWith(bed: TestBed, query: string, variables: string): Promise<Answer> {
  const search = new URLSearchParams({ query, variables });
  return bed.http(`/graphql?${search}`, { headers: { ...headers, 'apollo-require-preflight': 'yes' } });
}

/** A service that has every dataset, and every asset that it is asked for. */
async function startEcho(): Promise<TestBed> {
  const bed = await start();
  bed.simulator.intercept(({ operation, datasetId = '', body }) => {
    const echoed =
      operation === 'getDatasetMetadata'
        ? { name: nameOf(datasetId) }
        : { assets: JSON.parse(body).mo_ids.map((id: string) => ({ asset_id: id, asset_name: nameOf(id) })) };
    return { status: 200, body: JSON.stringify(echoed) };
  });
  return bed;
}

/*
 * Clause 3.5 of docs/contract.md in detail: ids as numbers.
 * In a variable of a POST or a GET, on its own, in a list, in a filter and in an entity reference, an integer of at most 2^53 - 1 is
 * the id with its digits. Another number is `BAD_USER_INPUT` without a call; in a reference, that reference alone is null. A literal
 * or a default value is an id with all digits that are written, but in a reference, which has no types; a fraction does not validate.
 */
describe('3.5 Ids as numbers', () => {
  it.each(Object.entries(places))(
    '%s: digits are requested as written, or refused',
    { tags: ['random'], timeout: 60_000 + CASES * 2000 },
    async (_title, place) => {
      const bed = await startEcho();
      const list = fc.array(written, { minLength: 1, maxLength: place.isSingle ? 1 : 6 });
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...ways), list, async (way, given) => {
          bed.simulator.clear();
          const isLiteral = way === 'literal' || way === 'default';
          const { body, status } = await ask(bed, way, place, given);
          const ids = given.map(({ variable, literal }) => (isLiteral ? literal : variable));
          const wrong = given.filter((_, index) => ids[index] === undefined);
          if (wrong.length > 0) {
            const code = isLiteral ? 'GRAPHQL_VALIDATION_FAILED' : 'BAD_USER_INPUT';
            expect(status).toBe(isLiteral ? 400 : 200);
            expect(outline({ body } as Answer)).toEqual({ data: undefined, errors: wrong.map(() => code) });
            for (const [index, { text }] of wrong.entries())
              expect(body.errors[index].message).toContain(
                isLiteral
                  ? `ID cannot represent a non-string and non-integer value: ${text}`
                  : 'An ID must be a text, or an integer of at most 2^53 - 1.',
              );
            expect(bed.calls()).toEqual([]);
            return;
          }
          const valid = ids as string[];
          expect(body).toEqual({ data: place.data(valid) });
          expect(bed.calls().toSorted()).toEqual([...place.calls(valid)].toSorted());
        }),
        { numRuns: CASES },
      );
    },
  );

  it('in references to entities: digits are requested as written, or refused one by one', {
    tags: ['random'],
    timeout: 60_000 + CASES * 2000,
  }, async () => {
    const bed = await startEcho();
    const others = fc.array(fc.constantFrom('{"x": 1.0}', '"-0, 1e21"', '-7.5e3'));
    const reference = fc.tuple(fc.boolean(), fc.nat(2), written, others);
    const cases = fc.tuple(
      fc.constantFrom(...ways),
      fc.array(written, { minLength: 3, maxLength: 3 }),
      fc.array(reference, { minLength: 1, maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(cases, async ([way, datasets, references]) => {
        bed.simulator.clear();
        const given = references.map(([isAsset, dataset, id, others]) => ({
          isAsset,
          dataset: isAsset ? (datasets[dataset] as Written) : id,
          asset: id,
          others,
        }));
        const place: Place = {
          type: '[_Any!]!',
          selection: (value) =>
            `{ _entities(representations: ${value}) { ...on Dataset { id name } ...on Asset { datasetId assetId name } } }`,
          value: (_ids, key) =>
            `[${given
              .map(
                ({ isAsset, dataset, asset, others }) =>
                  `{${[
                    `${key('__typename')}: "${isAsset ? 'Asset' : 'Dataset'}"`,
                    ...others.map(
                      (other, index) =>
                        `${key(`other${index}`)}: ${key('x') === 'x' ? other.replaceAll('"x"', 'x') : other}`,
                    ),
                    ...(isAsset
                      ? [`${key('datasetId')}:${dataset.text}`, `${key('assetId')} :${asset.text}`]
                      : [`${key('id')}:${dataset.text}`]),
                  ].join(', ')}}`,
              )
              .join()}]`,
          data: () => undefined,
          calls: () => [],
        };
        const answer = await ask(bed, way, place, []);
        const isValid = ({ dataset, asset }: (typeof given)[number]) =>
          dataset.variable !== undefined && asset.variable !== undefined;
        expect(outline(answer)).toEqual({
          data: {
            _entities: given.map((each) => {
              const [id = '', assetId = ''] = [each.dataset.variable, each.asset.variable];
              if (!isValid(each)) return null;
              return each.isAsset ? { datasetId: id, assetId, name: nameOf(assetId) } : { id, name: nameOf(id) };
            }),
          },
          errors: given.flatMap((each, index) => (isValid(each) ? [] : `_entities.${index} BAD_USER_INPUT`)),
        });
        const valid = given.filter(isValid);
        const metadata = unique(
          valid.flatMap(({ isAsset, dataset }) => (isAsset ? [] : summary(dataset.variable as string))),
        );
        const results = unique(
          valid.flatMap(({ isAsset, dataset }) => (isAsset ? (dataset.variable as string) : [])),
        ).map((id) => {
          const own = valid.filter(({ isAsset, dataset }) => isAsset && dataset.variable === id);
          return postResults(
            { mo_ids: unique(own.map(({ asset }) => asset.variable as string)) },
            encodeURIComponent(id),
          );
        });
        expect(bed.calls().toSorted()).toEqual([...metadata, ...results].toSorted());
      }),
      { numRuns: CASES },
    );
  });
});
