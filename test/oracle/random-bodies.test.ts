import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { stopClock } from '../support/clock.ts';
import { DATASET_ID } from '../support/harness.ts';
import { type Body, bodies, idsIn } from '../support/random-bodies.ts';
import { randomCases } from '../support/random-cases.ts';
import { documents, variables } from '../support/results-selections.ts';
import { hasLostRows } from './body.ts';
import { mismatchOf } from './compare.ts';
import { serviceOf } from './field.ts';
import { METADATA } from './random-service.ts';
import { type Reply, respond, type Service } from './respond.ts';
import { cursorOf } from './results.ts';
import { type Server, startServer } from './server.ts';

/** Responses on bodies of any bytes against the oracle. A counterexample of the engine goes to engine/test/kept-bodies.ts, where it stays. */
const CASES = randomCases(2400);

const CACHED_CASES = randomCases(200);

/** How many bodies are tried with one document, about: reading a new one takes longer than executing it. */
const BODIES_EACH = 4;

/** Long white space between many tokens makes larger bodies now and then, for each of which the oracle takes ten seconds and more. */
const MAX_BYTES = 3_000_000;

/** A response of a deep document to a large body would fill the memory of the process, and the oracle takes long for one. */
const LIMITED = { MAX_OPERATION_WORK: '5000000', UPSTREAM_MAX_CALLS: '500' };

/** Whether a document may have something that is made of all rows of a body. */
const isOfAllRows = (document: string) => /metricNames|statistics|byDate/.test(document);

/** Whether one of these limits, which the oracle does not know, cut a response off. */
const isCutOff = (text: string) =>
  text.includes('UPSTREAM_MAX_CALLS is 500') || text.includes('exceeds its work limit');

/**
 * Compares a response with what the oracle says of the body. Throws if it is wrong. `$after0` and `$after1` are the cursors of the
 * first two entries.
 *
 * @returns whether it was compared: not if a limit cut it off, if the service was asked for assets of a body that it cannot filter, or if something is
 *   made of rows that do not count
 */
async function compareOn(
  server: Server,
  body: Pick<Body, 'bytes' | 'isFiltered'>,
  document: string,
  values: Record<string, unknown>,
  metadata: Reply,
): Promise<boolean> {
  const ids = document.includes('$after') ? idsIn(body.bytes(undefined, false)) : [];
  const cursors = { after0: cursorOf(0, String(ids[0])), after1: cursorOf(1, String(ids[1])) };
  const variables = JSON.parse(JSON.stringify({ ...values, ...cursors }));
  // Attributes may come with rows of any time range, so all ranges have the same entries.
  const { seen, service } = observed(serviceOf({ bytes: (assetIds) => body.bytes(assetIds, false) }), metadata);
  server.service = service;
  const text = await server.send(document, variables);
  if (text !== undefined && isCutOff(text)) return false;
  const expected = respond(parse(document), variables, service);
  if (seen.hasIds && !body.isFiltered) return false;
  const wrong = text === undefined ? 'the connection broke' : mismatchOf(JSON.parse(text), expected);
  if (wrong === undefined) return true;
  if (isOfAllRows(document) && hasLostRows(body.bytes(undefined, false).toString())) return false;
  throw new Error(`${wrong}\n${document}\n${JSON.stringify(variables)}\n${text?.slice(0, 3000)}`);
}

/** A service with other metadata, which notes whether it was asked for some assets. */
function observed(service: Service, metadata: Reply) {
  const seen = { hasIds: false };
  const results: Service['results'] = (id, filter) => {
    seen.hasIds ||= filter.assetIds !== undefined;
    return service.results(id, filter);
  };
  return { seen, service: { metadata: () => metadata, results } };
}

describe('3 The response is what the oracle says', () => {
  it('to random operations on bodies of any bytes', {
    tags: ['random'],
    timeout: 120_000 + CASES * 200,
  }, async () => {
    const server = await startServer({ env: LIMITED });
    let cases = 0;
    let compared = 0;
    const asked = fc.array(fc.tuple(variables, bodies), { minLength: 1, maxLength: 2 * BODIES_EACH - 1 });
    await fc.assert(
      fc.asyncProperty(documents, asked, async (document, candidates) => {
        for (const [values, body] of candidates) {
          if (body.bytes(undefined, false).length > MAX_BYTES) continue;
          cases += 1;
          const reply = METADATA[cases % METADATA.length] as Reply;
          if (await compareOn(server, body, document, values, reply)) compared += 1;
        }
      }),
      { numRuns: Math.ceil(CASES / BODIES_EACH) },
    );
    const odd = server.bed.subgraph.oddRows.count;
    console.info(`Of ${cases} responses, ${compared} were compared. Odd rows:`, odd);
    expect(compared).toBeGreaterThan((cases * 3) / 4 - 10);
    expect(odd).toBeGreaterThan(0);
  });

  it.each([
    [
      'entries of an asset with another one between them',
      'asset(assetId: "a") { series { rows { valueDate } } }',
      JSON.stringify({ assets: ['a', 'b', 'a'].map((id) => ({ asset_id: id, results: [{ value_date: id }] })) }),
    ],
    [
      'a selection that needs another response',
      'results { series { nodes { asset { series { rowCount } } } } }',
      '{"assets":[{"asset_id":"a","results":[{"value_date":"d"}]}]}',
    ],
  ])('to %s', async (_, selection, body) => {
    const server = await startServer({});
    const document = `query ($id: ID!) { dataset(id: $id) { ${selection} } }`;
    const kept = { bytes: () => Buffer.from(body), isFiltered: true };
    expect(await compareOn(server, kept, document, { id: DATASET_ID }, METADATA[0] as Reply)).toBe(true);
  });

  it('to several operations on a body that is kept', {
    tags: ['random'],
    timeout: 120_000 + CACHED_CASES * 200,
  }, async () => {
    const server = await startServer({ env: { ...LIMITED, CACHE: 'memory' } });
    const { simulator } = server.bed;
    const clock = stopClock();
    let operations = 0;
    let compared = 0;
    let calls = 0;
    const asked = fc.array(fc.tuple(documents, variables), { minLength: 3, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(bodies, asked, async (body, questions) => {
        // Nothing of the body before is left.
        clock.advance(60_000);
        for (const [document, values] of questions) {
          for (let times = 0; times < 2; times += 1) {
            operations += 1;
            simulator.clear();
            if (await compareOn(server, body, document, values, METADATA[0] as Reply)) compared += 1;
            calls += simulator.requests.length;
          }
        }
      }),
      { numRuns: Math.ceil(CACHED_CASES / 10) },
    );
    // Of a few bodies, all may be of those whose operations need several calls, or damaged.
    if (operations > 100) expect(calls).toBeLessThan(2 * operations);
    if (operations > 100) expect(compared).toBeGreaterThan(operations / 2);
  });
});
