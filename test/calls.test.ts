import { describe, expect, it } from 'vitest';
import { DATASET_ID, start } from './harness.ts';

const SUMMARY = `GET /v1/collection/dataset/summary/${DATASET_ID}`;
const RESULTS = `POST /v1/processingresult/dataset/${DATASET_ID}`;

describe('3.1 Only what is asked', () => {
  it('makes no call for the id and the download URL', async () => {
    const { query, calls, simulator } = await start();
    const { body } = await query(`{ dataset(id: "${DATASET_ID}") { id download { url } } }`);
    const url = `${simulator.url}/v1/collection/staticdataset/${DATASET_ID}/download`;
    expect(body).toEqual({ data: { dataset: { id: DATASET_ID, download: { url } } } });
    expect(calls()).toEqual([]);
  });

  it('makes the GET for metadata alone, and the POST for results alone', async () => {
    const { query, calls, simulator } = await start();
    await query(`{ dataset(id: "${DATASET_ID}") { name } }`);
    expect(calls()).toEqual([SUMMARY]);
    simulator.clear();
    await query(`{ dataset(id: "${DATASET_ID}") { results { processingId } } }`);
    expect(calls()).toEqual([`${RESULTS} {}`]);
  });
});
