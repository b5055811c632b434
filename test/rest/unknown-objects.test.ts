import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Answer,
  DATASET_ID,
  dataset,
  getSummary,
  ofDataset,
  ofEntities,
  postResults,
  start,
  type TestBed,
} from '../support/harness.ts';
import { escaped } from '../support/json-text.ts';
import { pieces } from '../support/pieces.ts';
import { randomCases } from '../support/random-cases.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** How many random bodies are tried, for each operation. */
const CASES = randomCases(10);

const MEMBERS = {
  getDatasetMetadata: Object.keys(dataset.metadata),
  getDatasetResults: ['assets', 'processing_id', 'source_id'],
};
type Operation = keyof typeof MEMBERS;

/** Names that are nearly members of the specification. */
const NEARLY = [
  'Assets',
  'assets ',
  'asset',
  'results',
  'processingId',
  'ID',
  '__proto__',
  'error',
  'code',
  'message',
  '',
];

/** Another member of a body may be so long that it is not read in one go, or that a body is held until its use is decided. */
const LENGTHS = [0, 0, 0, 20_000, 90_000, 400_000];
const holdBytes = 65_536;

interface Body {
  readonly bytes: Buffer;
  /** The sizes of its chunks; undefined if it has a length. */
  readonly chunks: readonly number[] | undefined;
}

const member = (name: string, isEscaped: boolean, value: string) =>
  `${isEscaped ? escaped(name) : JSON.stringify(name)}:${value}`;

/** Bodies that are objects. @param known members of the specification that they have, with their values as JSON */
function bodiesOf(operation: Operation, known: fc.Arbitrary<readonly string[]>): fc.Arbitrary<Body> {
  const name = fc
    .oneof(fc.constantFrom(...NEARLY), fc.string({ unit: 'binary', maxLength: 12 }))
    .filter((each) => !MEMBERS[operation].includes(each));
  const value = fc.oneof(
    fc.jsonValue().map((each) => JSON.stringify(each)),
    fc.constant('{"code":498,"message":"Invalid token."}'),
  );
  const others = fc.array(fc.tuple(name, fc.boolean(), value), { minLength: 1, maxLength: 4 });
  const chunks = fc.option(fc.array(fc.integer({ min: 100, max: 100_000 }), { minLength: 1, maxLength: 3 }), {
    nil: undefined,
  });
  return fc
    .tuple(others, known, fc.constantFrom(...LENGTHS), fc.nat(), chunks)
    .map(([some, and, length, at, sizes]) => {
      const members = some.map((each) => member(...each));
      if (length > 0) members.splice(at % (members.length + 1), 0, member('x', false, `"${'y'.repeat(length)}"`));
      for (const each of and) members.splice(at % (members.length + 1), 0, each);
      return { bytes: Buffer.from(`{${members.join(at % 2 === 0 ? ',' : ' ,\n')}}`), chunks: sizes };
    });
}

function serve({ simulator }: TestBed, { bytes, chunks }: Body): void {
  simulator.intercept(() => ({ status: 200, body: chunks === undefined ? bytes : pieces(bytes, chunks) }));
}
const plain = (text: string): Body => ({ bytes: Buffer.from(text), chunks: undefined });

const documents: Record<Operation, readonly string[]> = {
  getDatasetMetadata: [ofDataset('name'), ofDataset('id description processing { id } startDate')],
  getDatasetResults: [
    ofDataset('results { processingId sourceId }'),
    ofDataset('results { series { nodes { asset { assetId } rows { valueDate metrics { name value } } } } }'),
    ofDataset('results { series { totalCount nodes { columns { valueDates } } } processingId }'),
    ofDataset('results { series(first: 1) { totalCount nodes { rowCount latest { valueDate } } } }'),
    ofDataset('results { series(first: 0) { totalCount } }'),
    ofDataset('results { statistics { name count } }'),
    ofDataset('results { sourceId byDate { dates } }'),
    ofDataset('asset(assetId: "a") { assetId name series { rowCount } }'),
    ofEntities('... on Asset { assetId name }'),
  ],
};
const REFERENCES = [{ __typename: 'Asset', datasetId: DATASET_ID, assetId: 'a' }];
const CALLS = {
  getDatasetMetadata: getSummary(),
  getDatasetResults: expect.stringContaining(postResults({}).split(' ')[1] as string),
};

const ask = (bed: TestBed, document: string): Promise<Answer> =>
  bed.query(document, {
    headers: { 'x-request-id': 'r', 'rest-calls': 'include' },
    ...(document.includes('$references') && { variables: { references: REFERENCES } }),
  });

/** What must be the same of two responses: all but bytes and times of the calls. */
const comparable = ({ status, body }: Answer) =>
  JSON.parse(
    JSON.stringify([status, body], (key, value) => (key === 'bytes' || key === 'milliseconds' ? undefined : value)),
  );

const REASON = 'The dataset service sent an invalid response: it has no known field.';

/*
 * Clause 3.17 of docs/contract.md in detail: bodies of unknown objects.
 * An object with members, none of which section 2.1 or 2.4 of the REST specification names, is what another program or a gateway
 * sends, often about a failure that its status does not show. It is as invalid as a list. An empty object is valid, and so is one
 * with any member of the specification, whatever else it has.
 */
describe('3.17 A body that is an object', () => {
  const env = { EXPLORER: 'sandbox', LOG_LEVEL: 'silent' };

  it.each<Operation>(['getDatasetMetadata', 'getDatasetResults'])(
    'is invalid as a whole if the specification names none of its members: %s',
    { tags: ['random'], timeout: 120_000 },
    async (operation) => {
      const bed = await start({ env, holdBytes });
      const bodies = bodiesOf(operation, fc.constant([]));
      await fc.assert(
        fc.asyncProperty(bodies, fc.constantFrom(...documents[operation]), async (body, document) => {
          serve(bed, plain('[]'));
          const expected = comparable(await ask(bed, document));
          expect(expected[1].errors.length).toBeGreaterThan(0);
          for (const error of expected[1].errors) error.message = REASON;
          bed.simulator.clear();
          serve(bed, body);
          expect(comparable(await ask(bed, document))).toEqual(expected);
          expect(bed.calls()).toEqual([CALLS[operation]]);
        }),
        { numRuns: CASES },
      );
    },
  );

  it.each<Operation>(['getDatasetMetadata', 'getDatasetResults'])(
    'is valid if it has one of them, however it is written, or nothing: %s',
    { tags: ['random'], timeout: 120_000 },
    async (operation) => {
      const bed = await start({ env, holdBytes });
      const known = fc
        .array(fc.tuple(fc.constantFrom(...MEMBERS[operation]), fc.boolean(), fc.constant('null')), {
          minLength: 1,
          maxLength: 2,
        })
        .map((all) => all.map((each) => member(...each)));
      await fc.assert(
        fc.asyncProperty(
          bodiesOf(operation, known),
          fc.constantFrom(...documents[operation]),
          async (body, document) => {
            serve(bed, plain('{ }'));
            const expected = comparable(await ask(bed, document));
            expect(expected[1].errors).toBeUndefined();
            serve(bed, body);
            expect(comparable(await ask(bed, document))).toEqual(expected);
          },
        ),
        { numRuns: CASES },
      );
    },
  );

  it.each(
    Object.entries(MEMBERS).flatMap(([operation, names]) =>
      names.map((name) => [operation as Operation, name] as const),
    ),
  )('is valid if it has one of them: %s, %s', async (operation, name) => {
    const bed = await start({ env, holdBytes });
    serve(bed, plain(`{"error":1,"${name}":null}`));
    for (const document of documents[operation]) expect((await ask(bed, document)).body.errors).toBeUndefined();
  });

  it('is not kept if it is invalid', async () => {
    const bed = await start({ env: { ...env, CACHE: 'memory' }, holdBytes });
    for (const [operation, [document = '']] of Object.entries(documents)) {
      bed.simulator.clear();
      for (const body of ['{"error":{"code":498,"message":"Invalid token."}}', `{"x":"${'y'.repeat(400_000)}"}`]) {
        serve(bed, plain(body));
        for (const { errors } of [(await ask(bed, document)).body, (await ask(bed, document)).body])
          expect(errors).toEqual(errors.map(() => expect.objectContaining({ message: REASON })));
      }
      bed.simulator.intercept(undefined);
      for (let times = 0; times < 2; times += 1) expect((await ask(bed, document)).body.errors).toBeUndefined();
      expect(bed.calls()).toEqual(Array(5).fill(CALLS[operation as Operation]));
    }
  });
});

const FILES = ['csv', 'csv_spreadsheet', 'ndjson', 'parquet', 'arrow'].flatMap((format) =>
  ['layout=long', 'layout=wide', 'layout=wide&metric=m', 'of=statistics', 'of=byDate', 'of=periods&every=day'].map(
    (contents) => `format=${format}&${contents}`,
  ),
);

describe('3.43 A file of results', () => {
  const invalid = [
    502,
    expect.objectContaining({
      message: REASON,
      extensions: expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }),
    }),
  ];

  it('is an error before its first byte if its body has only unknown fields', {
    tags: ['random'],
    timeout: 120_000,
  }, async () => {
    const bed = await start({ env: { CACHE: 'memory', LOG_LEVEL: 'silent' }, holdBytes });
    const bodies = bodiesOf('getDatasetResults', fc.constant([]));
    let cases = 0;
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom(...FILES), async ({ bytes, chunks }, query) => {
        cases += 1;
        const id = `dataset-${cases}`;
        const serveResults = (body: Buffer | AsyncGenerator<Uint8Array>) =>
          bed.simulator.intercept(({ operation }) =>
            operation === 'getDatasetResults' ? { status: 200, body } : { status: 200, body: '{"name":"n"}' },
          );
        serveResults(chunks === undefined ? bytes : pieces(bytes, chunks));
        const { status, text } = await receive(bed, resultsPath(query, id));
        expect([status, JSON.parse(text).errors[0]]).toEqual(invalid);
        // It was not kept.
        serveResults(Buffer.from('{}'));
        expect(await receive(bed, resultsPath(query, id))).toMatchObject({ status: 200, isComplete: true });
        const calls = bed.calls().filter((call) => call.includes(id));
        expect(calls.filter((call) => call === postResults({}, id))).toHaveLength(2);
      }),
      { numRuns: CASES },
    );
  });

  it('is an error if its metadata have only unknown fields', async () => {
    const bed = await start();
    bed.simulator.intercept(({ operation }) =>
      operation === 'getDatasetMetadata' ? { body: '{"error":498}' } : undefined,
    );
    for (const query of ['format=parquet', 'format=arrow&of=byDate']) {
      const { status, text } = await receive(bed, resultsPath(query));
      expect([status, JSON.parse(text).errors[0]]).toEqual(invalid);
    }
    expect(bed.calls()).toEqual([getSummary(), getSummary()]);
  });
});
