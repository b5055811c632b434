import { expect } from 'vitest';
import type { Fault } from '../../simulator/src/simulator.ts';
import { eventually } from './eventually.ts';
import { errorAt } from './expected-errors.ts';
import { type Answer, gate, ofDataset, type TestBed } from './harness.ts';

export const MEGABYTE = 2 ** 20;
/** A selection for which the whole response is held. */
const held = 'results { processingId series { totalCount nodes { version } } }';
const heldResults = { processingId: 'p', series: { totalCount: 0, nodes: [] } };
export const RESULTS = ofDataset(held);
export const answered = { data: { dataset: { results: heldResults } } };
export const range = (length: number) => Array.from({ length }, (_, index) => index);
export const env = (bytes: number, more: Record<string, string> = {}) => ({ MEMORY_BUDGET: `${bytes}`, ...more });

/** A results answer of so many bytes, which begins with some filling. */
export function resultsOf(bytes: number, filling = ''): Buffer {
  const text = '{"processing_id":"p","assets":[],"x":""}';
  return Buffer.from(text.replace('"x":""', `"x":"${filling.padEnd(bytes - text.length, 'x')}"`));
}

/** Answers results calls so; metadata calls as ever. */
export function sendResults({ simulator }: TestBed, fault: (datasetId: string) => Fault | Promise<Fault>): void {
  simulator.intercept(async ({ operation, datasetId = '' }) =>
    operation === 'getDatasetResults' ? { status: 200, ...(await fault(datasetId)) } : undefined,
  );
}

export const queryOf = (...ids: string[]) =>
  `{ ${ids.map((id) => `${id}: dataset(id: "${id}") { ${held} }`).join(' ')} }`;

/** The results of datasets in one operation, where all is well but for these, which have a code. */
export const outlineOf = (ids: string[], failed: Record<string, string> = {}) => ({
  data: Object.fromEntries(ids.map((id) => [id, { results: id in failed ? null : heldResults }])),
  errors: Object.entries(failed).map(([id, code]) => `${id}.results ${code}`),
});

/** The calls that have got their answers, as the log says. */
export const ended = ({ log }: TestBed, operation = 'getDatasetResults') =>
  log.map((line) => JSON.parse(line)).filter((line) => line.operation === operation).length;

/** An operation that holds the memory of one answer until it is let go, because it waits for a second one. */
export async function hold(bed: TestBed, body: Buffer): Promise<{ letGo(): void; answer: Promise<Answer> }> {
  const second = gate();
  const before = ended(bed);
  sendResults(bed, (id) => (id === 'second' ? second.opened.then(() => ({ body: resultsOf(100) })) : { body }));
  const answer = bed.query(queryOf('first', 'second'));
  await eventually(() => expect(ended(bed)).toBe(before + 1));
  return { letGo: second.open, answer };
}

export const refusal = (code: string, message: string, more: object = {}) => ({
  data: { dataset: { results: null } },
  errors: [
    {
      ...errorAt(['dataset', 'results'], code, { operation: 'getDatasetResults', status: 200, ...more }),
      message,
    },
  ],
});
