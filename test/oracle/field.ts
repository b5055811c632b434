import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { expect } from 'vitest';
import { postResults, type Setup } from '../support/harness.ts';
import { Dice } from '../support/json-text.ts';
import type { Body } from '../support/random-bodies.ts';
import { METRIC_NAMES } from '../support/results-selections.ts';
import { hasLostRows } from './body.ts';
import { mismatchOf } from './compare.ts';
import { type Drawing, datasetSeeds, type RandomService, randomService } from './random-service.ts';
import { respond, type Service } from './respond.ts';
import { schema } from './schema.ts';
import { type Server, startServer } from './server.ts';

/** Tests of a field on random bodies, over HTTP. The oracle says what is right. README.md shows how to use it. */

/** A case that is drawn: what arguments may depend on. */
export interface Drawn {
  readonly dice: Dice;
  /** The id of its dataset, which no other case has. */
  readonly id: string;
  /** The number of rows of each entry. */
  readonly rows: readonly number[];
}

/** What is asked of each case, and compared. */
export interface Cases {
  /** How many bodies are tried: fields with each of the settings, and files with one of them. */
  readonly cases: number;
  /** How datasets are drawn. Unless it has `bytes`, entries have few rows, and sometimes hundreds. */
  readonly bodies?: Drawing;
  /** The settings of the servers. With a low `holdBytes` small bodies pass to the client while they arrive. */
  readonly settings?: readonly Setup[];
}

/** Bodies are held, kept by a cache, or pass or are skimmed. */
const SETTINGS: readonly Setup[] = [{}, { env: { CACHE: 'memory' } }, { holdBytes: 1024 }];

/** Few rows; sometimes so many that they are read in several batches. */
const ROWS = fc.oneof(
  { weight: 25, arbitrary: fc.nat(14) },
  { weight: 1, arbitrary: fc.integer({ min: 510, max: 700 }) },
);

/** Some names of metrics, of which one does not occur. */
export const someMetrics = (dice: Dice) => dice.shuffled([...METRIC_NAMES, 'nothing']).slice(0, dice.below(4));

/** How long so many cases may take, at most. It is the timeout of their test. */
export const timeLimit = (cases: number) => 120_000 + cases * 1000;
/** How long a counterexample is made smaller. One that is not the smallest is good enough. */
const MAX_SHRINKING_MS = 10_000;

interface Case<T> extends Drawn {
  readonly server: Server;
  readonly setup: Setup;
  /** Whether it is tried with the first settings. */
  readonly isFirst: boolean;
  readonly service: Service & Partial<RandomService>;
  readonly asked: T;
}

/** What the service of a body with any bytes sends. */
const METADATA = { status: 200, body: '{"name":"N"}' };

/** The service of a body. One that is no UTF-8 is no JSON for the oracle either. */
export function serviceOf(body: Pick<Body, 'bytes'>): Service {
  return {
    metadata: () => METADATA,
    results: (_, { assetIds, start, stop }) => {
      const bytes = body.bytes(assetIds, start !== undefined || stop !== undefined);
      return { status: 200, body: isUtf8(bytes) ? bytes.toString() : '', bytes };
    },
  };
}

/**
 * Tries random cases. A failure shows the first difference with all that was asked, and the command that repeats it.
 *
 * @param bodies datasets, or bodies of any bytes
 * @param isEach whether each body is tried with each of the settings
 * @param ask draws what is asked of a case, and what is right
 * @param compare returns what is wrong
 */
export async function run<T>(
  { cases, settings = SETTINGS }: Cases,
  bodies: fc.Arbitrary<Body> | Drawing,
  isEach: boolean,
  ask: (drawn: Drawn, service: Service) => T,
  compare: (drawn: Case<T>) => Promise<string | undefined>,
): Promise<void> {
  const servers = await Promise.all(settings.map(startServer));
  const drawings = fc.record({
    look: fc.nat(2 ** 31 - 1),
    setting: fc.nat(settings.length - 1),
    body:
      bodies instanceof fc.Arbitrary ? bodies : datasetSeeds('bytes' in bodies ? bodies : { rows: ROWS, ...bodies }),
    pieces: fc.option(fc.array(fc.integer({ min: 1, max: 4000 }), { minLength: 1, maxLength: 3 })),
    isCompressed: fc.integer({ min: 0, max: 7 }).map((number) => number === 7),
  });
  let count = 0;
  let failedAt = Number.POSITIVE_INFINITY;
  await fc.assert(
    fc.asyncProperty(drawings, async ({ look, setting, body, pieces, isCompressed }) => {
      if (performance.now() - failedAt > MAX_SHRINKING_MS) return;
      count += 1;
      const id = `dataset-${count}`;
      const [service, rows] =
        'bytes' in body
          ? [serviceOf(body), []]
          : [randomService(new Map([[id, body]])), body.entries.map((entry) => entry.rows)];
      const drawn: Drawn = { dice: new Dice(look), id, rows };
      const asked = ask(drawn, service);
      const compareAt = async (server: Server, index: number) => {
        if (!isEach && index !== setting) return;
        Object.assign(server, { service, pieces: pieces ?? undefined, isCompressed });
        server.bed.simulator.clear();
        const setup = settings[index] as Setup;
        const wrong = await compare({ ...drawn, server, setup, isFirst: index === 0, service, asked });
        if (wrong === undefined) return;
        failedAt = Math.min(failedAt, performance.now());
        const sent = service.results(id, {}).body.slice(0, 5000);
        throw new Error(`${wrong}\nwith ${JSON.stringify({ ...setup, pieces, isCompressed })}\nThe body: ${sent}`);
      };
      // All of them have ended before the next case begins.
      const ended = await Promise.allSettled(servers.map(compareAt));
      for (const each of ended) if (each.status === 'rejected') throw each.reason;
    }),
    { numRuns: cases, interruptAfterTimeLimit: timeLimit(cases) - 5000, markInterruptAsFailure: true },
  );
}

/** Bodies may be as short as that limit: then they are held, too. */
const isPassing = ({ env = {}, holdBytes }: Setup) => holdBytes !== undefined && env.CACHE === undefined;

/** What a test of a field asks. */
interface FieldCases extends Cases {
  /** A selection on `Query`, or what draws one. `$id` is the dataset. */
  readonly field: string | ((drawn: Drawn) => string);
  /** The other variables. Their types are those of the arguments that they are for. */
  readonly args?: (drawn: Drawn) => Record<string, unknown>;
  /** The filters of the results calls of each response, where they are to be compared too. */
  readonly filters?: readonly object[];
  /** What also holds of the data of each response without errors. It throws if not. */
  // biome-ignore lint/suspicious/noExplicitAny: it knows what it has selected
  readonly also?: (data: any, variables: Record<string, unknown>) => void;
}

/** What a test has seen. */
interface Seen {
  /** How many responses have no errors. */
  readonly whole: number;
  /** How many responses have an error of each code. */
  readonly codes: Readonly<Record<string, number>>;
}

/** Compares responses that have a field. Fails also if few of them are without errors. */
export async function compareField(options: FieldCases): Promise<Seen> {
  const { field, args, filters, also, cases, bodies = {} } = options;
  const codes: Record<string, number> = {};
  let whole = 0;
  const ask = (drawn: Drawn, service: Service) => {
    const document = operationOf(typeof field === 'string' ? field : field(drawn));
    const variables: Record<string, unknown> = JSON.parse(JSON.stringify({ ...args?.(drawn), id: drawn.id }));
    const expected = respond(parse(document), variables, service);
    const { errors = [] } = expected.result;
    if (errors.length === 0) whole += 1;
    for (const code of new Set(errors.map(({ extensions }) => String(extensions.code))))
      codes[code] = (codes[code] ?? 0) + 1;
    return { document, variables, expected };
  };
  await run(options, bodies, true, ask, async ({ server, setup, service, id, asked }) => {
    const { document, variables, expected } = asked;
    let text = await server.send(document, variables);
    const { mayBreak } = service;
    const mayPass = isPassing(setup) && mayBreak !== 'never';
    // What had not been sent is an error.
    const isInvalid = () => text === undefined || mismatchOf(JSON.parse(text), expected) !== undefined;
    if (mayPass && (text === undefined || text.includes('UPSTREAM_INVALID_RESPONSE')) && isInvalid()) {
      server.bed.simulator.clear();
      text = await server.send(document, variables);
      if (isInvalid() && mayBreak === 'always') return undefined;
    }
    const wrong = text === undefined ? 'the connection broke' : mismatchOf(JSON.parse(text), expected);
    if (wrong !== undefined && hasLostRows(service.results(id, {}).body)) return undefined;
    if (wrong !== undefined) return `${wrong}\n${document}\n${JSON.stringify(variables)}\n${text?.slice(0, 5000)}`;
    if (filters !== undefined) {
      expect(server.bed.calls()).toEqual(filters.map((filter) => postResults(filter, id)));
    }
    if (expected.result.errors === undefined) also?.(JSON.parse(text as string).data, variables);
    return undefined;
  });
  // Of a few cases all may be odd.
  if (cases >= 50) expect(whole).toBeGreaterThan(cases / 5);
  return { whole, codes };
}

/** The operation that has a selection, with the types of its variables. */
export function operationOf(selection: string): string {
  const info = new TypeInfo(schema);
  const types = new Map<string, string>();
  const Variable = ({ name: { value } }: { name: { value: string } }) => {
    const type = String(info.getInputType());
    if (types.get(value)?.endsWith('!') !== true) types.set(value, type);
  };
  visit(parse(`{ ${selection} }`), visitWithTypeInfo(info, { Variable }));
  const declared = Array.from(types, ([name, type]) => `$${name}: ${type}`).join(', ');
  return `query ${declared === '' ? '' : `(${declared}) `}{ ${selection} }`;
}
