import fc from 'fast-check';
import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Setup } from '../support/harness.ts';
import { randomCases } from '../support/random-cases.ts';
import { hasLostRows, readResults } from './body.ts';
import { mismatchOf } from './compare.ts';
import { documents, variableSeeds, variablesOf } from './random-operations.ts';
import { datasetSeeds, randomService, SMALL } from './random-service.ts';
import { respond, type Service } from './respond.ts';
import { cursorOf } from './results.ts';
import { startServer } from './server.ts';

/**
 * Whole responses against the oracle: random operations over several datasets, whose bodies are random. `ORACLE_BYTES` says
 * how long a body is, at most.
 */
const CASES = randomCases(5100);
const BYTES = Number(process.env.ORACLE_BYTES ?? 2000);

/** How many services are tried with one document, about, and how often each of them. A known document is executed in another way. */
const SERVICES_EACH = 3;
const TIMES_EACH = 2;

/** How long a counterexample is made smaller. */
const MAX_SHRINKING_MS = 10_000;

/** The settings of the servers. With a low limit small bodies pass to the client while they arrive. */
const SETTINGS: readonly Setup[] = [
  {},
  { env: { CACHE: 'memory' } },
  { holdBytes: 1024 },
  { holdBytes: 2048 },
  { holdBytes: 8192 },
  { env: { CACHE: 'memory' }, holdBytes: 2048 },
];

/** `RESULTS_HOLD_BYTES` unless given. */
const USUAL_HOLD_BYTES = 2 ** 22;

/** Whether a body of these datasets is long enough to pass to the client while it arrives. */
function isPassing({ env = {}, holdBytes = USUAL_HOLD_BYTES }: Setup, service: Service, ids: readonly string[]) {
  const isLong = (id: string) => Buffer.byteLength(service.results(id, {}).body) > holdBytes;
  return Object.keys(env).length === 0 && ids.some(isLong);
}

/** The cursors of the first two entries of a dataset. */
function cursorsOf(service: Service, id: string): (string | undefined)[] {
  const assets = readResults(service.results(id, {}).body)?.assets;
  const entries = Array.isArray(assets) ? assets : [];
  return [0, 1].map((index) => entries[index] && cursorOf(index, entries[index].assetId));
}

describe('3 The response is what the oracle says', () => {
  it('to random operations on random bodies', {
    tags: ['random'],
    timeout: 120_000 + CASES * (500 + BYTES / 4000),
  }, async () => {
    const servers = await Promise.all(SETTINGS.map(startServer));
    let compared = 0;
    let failedAt = Number.POSITIVE_INFINITY;
    const services = fc.array(
      fc.record({
        variables: variableSeeds,
        datasets: fc.array(datasetSeeds({ bytes: BYTES }), { minLength: 1, maxLength: 3 }),
        pieces: fc.option(fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 3 })),
        times: fc.integer({ min: 1, max: 2 * TIMES_EACH - 1 }),
      }),
      { minLength: 1, maxLength: 2 * SERVICES_EACH - 1 },
    );
    await fc.assert(
      fc.asyncProperty(documents, fc.nat(SETTINGS.length - 1), services, async (document, setting, candidates) => {
        // A counterexample that is not the smallest is good enough.
        if (performance.now() - failedAt > MAX_SHRINKING_MS) return;
        const parsed = parse(document);
        const server = servers[setting] as (typeof servers)[number];
        for (const { variables: seeds, datasets, pieces, times } of candidates) {
          const ids = datasets.map((_, index) => `dataset-${compared}-${index}`);
          const small = `small-${compared}`;
          const seedsById = new Map(datasets.map((seed, index) => [ids[index] as string, seed]));
          const service = randomService(seedsById.set(small, SMALL));
          server.service = service;
          const [first = ''] = ids;
          const cursors = document.includes('$after') ? cursorsOf(service, first) : [];
          const named = [...ids, 'unknown'];
          const variables = JSON.parse(JSON.stringify(variablesOf(seeds, named, small, cursors)));
          const expected = respond(parsed, variables, service);
          server.pieces = pieces ?? undefined;
          const mayPass = isPassing(SETTINGS[setting] as Setup, service, named);
          let breaks = mayPass ? { never: 0, once: datasets.length, always: 99 }[service.mayBreak] : 0;
          if (ids.some((id) => hasLostRows(service.results(id, {}).body))) breaks = 99;
          for (let count = 0; count < times; count += 1) {
            compared += 1;
            const text = await server.send(document, variables);
            if (text === undefined && breaks > 0) {
              breaks -= 1;
              continue;
            }
            // The number of results and series is limited, wherever they are.
            if (text?.includes('results of datasets and series of assets.')) continue;
            const wrong = text === undefined ? 'the connection broke' : mismatchOf(JSON.parse(text), expected);
            if (wrong === undefined) continue;
            // Of what has not been sent the client gets an error.
            if (breaks > 0 && text?.includes('UPSTREAM_INVALID_RESPONSE')) {
              breaks -= 1;
              continue;
            }
            failedAt = Math.min(failedAt, performance.now());
            const bodies = ids.map((id) => `${id}: ${service.results(id, {}).body.slice(0, 3000)}`);
            const found = { setting: SETTINGS[setting], pieces, variables, bodies };
            throw new Error(`${wrong}\n${document}\n${JSON.stringify(found)}\n${text?.slice(0, 3000)}`);
          }
        }
      }),
      { numRuns: Math.ceil(CASES / SERVICES_EACH / TIMES_EACH) },
    );
    expect(compared).toBeGreaterThan(CASES / 2);
  });
});
