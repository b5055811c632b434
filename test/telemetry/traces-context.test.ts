import { describe, expect, it } from 'vitest';
import type { Collector, ReceivedSpan } from '../support/collector.ts';
import { DATASET_ID, NAME, type TestBed } from '../support/harness.ts';
import {
  BOTH,
  expectData,
  idsIn,
  metadataSpan,
  querySpan,
  serverSpan,
  startTraced,
  treesOf,
} from '../support/traces.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
const sampled = { traceparent: `00-${TRACE}-${PARENT}-01` };
const unsampled = { traceparent: `00-${TRACE}-${PARENT}-00` };

const isServer = ({ kind }: ReceivedSpan) => kind === 'SERVER';

/** All spans of what was asked before: a further request is traced, and its span comes after theirs. */
async function spansBefore({ query }: TestBed, collector: Collector): Promise<ReceivedSpan[]> {
  const last = 'f'.repeat(32);
  expectData(await query('{ __typename }', { headers: { traceparent: `00-${last}-${PARENT}-01` } }));
  return (await collector.receive(last)).filter(({ traceId }) => traceId !== last);
}

describe('3.38 The trace of the router', () => {
  it('is joined: the request is a child of the router’s span', async () => {
    const { bed, collector } = await startTraced();
    expectData(await bed.query(NAME, { headers: { ...sampled, tracestate: 'one=1,two=2' } }));
    const spans = await collector.receive(3);
    expect(treesOf(spans)).toEqual([serverSpan([querySpan([metadataSpan()])])]);
    for (const span of spans) expect(span).toMatchObject({ traceId: TRACE, traceState: 'one=1,two=2' });
    expect(spans.find(isServer)).toMatchObject({ parentSpanId: PARENT });
  });

  it('is not sent if the router does not sample it, and its ids are in the log', async () => {
    const { bed, collector } = await startTraced({ env: { LOG_OPERATIONS: 'on' } });
    expectData(await bed.query(NAME, { headers: unsampled }));
    const ids = { trace_id: TRACE, span_id: expect.stringMatching(/^[\da-f]{16}$/) };
    expect(idsIn(bed.log)).toEqual([
      { msg: 'REST call', ...ids },
      { msg: 'operation', ...ids },
    ]);
    expect(await spansBefore(bed, collector)).toEqual([]);
  });

  it('is a new one at a traceparent that is not valid', async () => {
    const { bed, collector } = await startTraced();
    const invalid = [
      `00-${TRACE}-${PARENT}-1`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      `00-${'0'.repeat(32)}-${PARENT}-01`,
      `00-${TRACE}-${'0'.repeat(16)}-01`,
      `ff-${TRACE}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}-01-more`,
      'x',
      '',
      [sampled.traceparent, sampled.traceparent],
    ];
    for (const [index, traceparent] of invalid.entries()) {
      expectData(await bed.query(NAME, { headers: { traceparent, tracestate: 'one=1' } }));
      const span = (await collector.receive(3 * (index + 1))).findLast(isServer);
      expect([traceparent, span]).toMatchObject([traceparent, { parentSpanId: '', traceState: '' }]);
      expect(span?.traceId).not.toBe(TRACE);
    }
  });

  it.each([
    ['of a later version, with more fields', `01-${TRACE}-${PARENT}-01-more`, 'one=1', 'one=1'],
    ['with other flags', `00-${TRACE}-${PARENT}-03`, 'one=1', 'one=1'],
    ['with a bad tracestate', sampled.traceparent, 'none', ''],
  ])('is joined %s', async (_title, traceparent, tracestate, traceState) => {
    const { bed, collector } = await startTraced();
    expectData(await bed.query(NAME, { headers: { traceparent, tracestate } }));
    const span = (await collector.receive(3)).find(isServer);
    expect(span).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, traceState });
  });
});

describe('3.38 OTEL_TRACES_SAMPLER', () => {
  it.each([
    ['parentbased_always_on', '', [true, true, false]],
    ['parentbased_always_off', '', [false, true, false]],
    ['parentbased_traceidratio', '1', [true, true, false]],
    ['parentbased_traceidratio', '0', [false, true, false]],
    ['traceidratio', '1', [true, true, true]],
    ['traceidratio', '0', [false, false, false]],
    ['always_on', '0', [true, true, true]],
    ['always_off', '1', [false, false, false]],
  ])('%s %s: without a parent, with a sampled one, with another', async (sampler, ratio, expected) => {
    const env = { OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio };
    const { bed, collector } = await startTraced({ env });
    for (const headers of [{}, sampled, unsampled]) expectData(await bed.query(NAME, { headers }));
    const count = expected.filter(Boolean).length;
    // A trace that nothing samples does not tell that the ones before have come.
    const spans = await collector.receive(3 * count);
    await bed.subgraph.stop();
    expect(spans).toHaveLength(3 * count);
    const parents = spans.filter(isServer).map(({ parentSpanId }) => parentSpanId === PARENT);
    expect(parents).toEqual([false, true, true].filter((_, index) => expected[index]));
  });
});

describe('3.38 TRACE_UPSTREAM', () => {
  const FILE = `/download/dataset/${DATASET_ID}`;
  const headersOf = ({ simulator }: TestBed) =>
    simulator.requests.map(({ headers: { traceparent, tracestate } }) => ({ traceparent, tracestate }));
  const bearer = { authorization: 'Bearer token-of-anna' };

  it('off: the REST service gets no trace context', async () => {
    const { bed, collector } = await startTraced();
    expectData(await bed.query(BOTH, { headers: { ...sampled, tracestate: 'one=1' } }));
    await bed.http(FILE, { headers: { ...bearer, ...sampled } });
    await collector.receive(6);
    expect(headersOf(bed)).toEqual(Array(3).fill({}));
  });

  it('on: the REST service gets the context of the call', async () => {
    const { bed, collector } = await startTraced({ env: { TRACE_UPSTREAM: 'on' } });
    expectData(await bed.query(BOTH, { headers: { ...sampled, tracestate: 'one=1' } }));
    await bed.http(FILE, { headers: { ...bearer, ...sampled } });
    const calls = (await collector.receive(6)).filter(({ kind }) => kind === 'CLIENT');
    const idOf = (end: string) => calls.find(({ name }) => name.endsWith(end))?.spanId;
    const expected = ['summary/{id}', 'processingresult/dataset/{id}', 'download'].map((end, index) => ({
      traceparent: [`00-${TRACE}-${idOf(end)}-01`],
      ...(index < 2 && { tracestate: ['one=1'] }),
    }));
    expect(headersOf(bed)).toEqual(expected);
  });

  it('on: the REST service gets the context of a trace that is not sampled', async () => {
    const { bed } = await startTraced({ env: { TRACE_UPSTREAM: 'on' } });
    expectData(await bed.query(BOTH, { headers: unsampled }));
    const [first, second] = headersOf(bed).map(({ traceparent: [value = ''] = [] }) => value);
    expect(first).toMatch(new RegExp(`^00-${TRACE}-(?!${PARENT})[\\da-f]{16}-00$`));
    expect(second).toBe(first);
  });
});
