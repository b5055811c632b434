import { describe, expect, it } from 'vitest';
import {
  type Answer,
  DATASET_ID,
  dataset,
  ofDataset,
  ofEntities,
  postResults,
  start,
  type TestBed,
} from '../support/harness.ts';
import { escaped } from '../support/json-text.ts';
import { pieces } from '../support/pieces.ts';
import { receive, resultsPath } from '../support/results-files.ts';

const MEMBERS = {
  getDatasetMetadata: Object.keys(dataset.metadata),
  getDatasetResults: ['assets', 'processing_id', 'source_id'],
};
type Operation = keyof typeof MEMBERS;
const operations = Object.keys(MEMBERS) as Operation[];

/** Longer than what is read in one go, and than what is held until the use of a body is decided. */
const holdBytes = 65_536;
const long = `"x":"${'y'.repeat(400_000)}"`;

/** Objects without any member of the specification, some with names that are nearly one. */
const unknown = [
  '{"error":{"code":498,"message":"Invalid token."}}',
  '{"Assets":[],"assets ":[],"asset":1,"results":[],"processingId":"p","ID":1,"__proto__":1,"":null}',
  `{${long},"message":{"name":"n","assets":[]}}`,
  `{"code":5 ,\n${long}}`,
];

/** Sends this body with its length, or in chunks. */
function serve({ simulator }: TestBed, body: string, isChunked = false): void {
  const bytes = Buffer.from(body);
  simulator.intercept(() => ({ status: 200, body: isChunked ? pieces(bytes, [100, 50_000]) : bytes }));
}

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

const ask = (bed: TestBed, document: string): Promise<Answer> =>
  bed.query(document, {
    headers: { 'x-request-id': 'r' },
    ...(document.includes('$references') && { variables: { references: REFERENCES } }),
  });

const REASON = 'The dataset service sent an invalid response: it has no known field.';

/*
 * Clause 3.17 of docs/contract.md in detail: bodies of unknown objects.
 * An object with members, none of which section 2.1 or 2.4 of the REST specification names, is what another program or a gateway
 * sends, often about a failure that its status does not show. It is as invalid as a list. An empty object is valid, and so is one
 * with any member of the specification, whatever else it has.
 */
describe('3.17 A body that is an object', () => {
  const env = { LOG_LEVEL: 'silent' };

  it.each(operations)('is invalid as a whole if the specification names none of its members: %s', async (operation) => {
    const bed = await start({ env, holdBytes });
    for (const document of documents[operation]) {
      serve(bed, '[]');
      const { body: expected } = await ask(bed, document);
      expect(expected.errors.length).toBeGreaterThan(0);
      for (const error of expected.errors) error.message = REASON;
      for (const body of unknown) {
        for (const isChunked of [false, true]) {
          serve(bed, body, isChunked);
          expect([document, (await ask(bed, document)).body]).toEqual([document, expected]);
        }
      }
    }
  });

  it.each(operations)('is valid if it has one of them, however it is written, or nothing: %s', async (operation) => {
    const bed = await start({ env, holdBytes });
    for (const document of documents[operation]) {
      serve(bed, '{ }');
      const { body: expected } = await ask(bed, document);
      expect(expected.errors).toBeUndefined();
      const bodies = MEMBERS[operation].flatMap((name) => [
        `{"error":1,"${name}":null}`,
        `{${escaped(name)}:null,${long}}`,
      ]);
      for (const body of bodies) {
        serve(bed, body);
        expect([document, (await ask(bed, document)).body]).toEqual([document, expected]);
      }
    }
  });
});

const FILES = ['csv&layout=long', 'csv&layout=wide', 'ndjson&of=byDate', 'parquet&layout=long', 'arrow&of=statistics'];

describe('3.43, 3.40 A file of results', () => {
  const invalid = [
    502,
    expect.objectContaining({
      message: REASON,
      extensions: expect.objectContaining({ code: 'UPSTREAM_INVALID_RESPONSE' }),
    }),
  ];

  it('is an error before its first byte if its body has only unknown fields, which is not kept', async () => {
    const bed = await start({ env: { CACHE: 'memory', LOG_LEVEL: 'silent' }, holdBytes });
    for (const [index, query] of FILES.entries()) {
      const id = `dataset-${index}`;
      let body = unknown[index % unknown.length] ?? '';
      bed.simulator.intercept(({ operation }) => ({
        status: 200,
        body: operation === 'getDatasetResults' ? body : '{"name":"n"}',
      }));
      const { status, text } = await receive(bed, resultsPath(`format=${query}`, id));
      expect([query, status, JSON.parse(text).errors[0]]).toEqual([query, ...invalid]);
      body = '{}';
      expect(await receive(bed, resultsPath(`format=${query}`, id))).toMatchObject({ status: 200, isComplete: true });
      expect(bed.calls().filter((call) => call === postResults({}, id))).toHaveLength(2);
    }
  });
});
