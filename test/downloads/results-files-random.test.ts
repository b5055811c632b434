import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { bodies } from '../support/fast-path-bodies.ts';
import { start } from '../support/harness.ts';
import { pieces } from '../support/pieces.ts';
import { randomCases } from '../support/random-cases.ts';
import { receive, resultsPath } from '../support/results-files.ts';

/** How many bodies are tried. */
const CASES = randomCases(160);

/** A row of a long file: the texts of its values. Null is null. */
type Line = Record<string, string | number | null>;

/** The rows of a body, as the specification says them; undefined if something of it is missing or wrong. */
function linesOf(bytes: Buffer): Line[] | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const lines: Line[] = [];
    const body = parse(text);
    object(body);
    const members = Object.keys(body);
    if (members.length > 0 && !members.some((name) => ['assets', 'processing_id', 'source_id'].includes(name))) fail();
    if (countOf(text, 'assets') > 1) return undefined;
    for (const asset of list(body.assets)) {
      object(asset);
      const lead = {
        asset_id: string(asset.asset_id) ?? fail(),
        asset_name: string(asset.asset_name),
        asset_version: int64(asset.asset_version),
      };
      for (const row of list(asset.results)) {
        object(row);
        const value_date = string(row.value_date);
        const metrics = list(row.metrics);
        for (const metric of metrics.length === 0 ? [{}] : metrics) {
          object(metric);
          lines.push({ ...lead, value_date, metric: string(metric.name), value: number(metric.value) });
        }
      }
    }
    return lines;
  } catch (error) {
    // Such a body is nested too deeply for this test to read it.
    if (error instanceof RangeError) fc.pre(false);
    if (error instanceof Wrong || error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}

class Wrong extends Error {}
function fail(): never {
  throw new Wrong();
}

// biome-ignore lint/suspicious/noExplicitAny: it is anything
type Any = any;

class Digits {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

/** JSON whose numbers keep their digits. */
function parse(text: string): Any {
  const reviver = (_key: string, value: unknown, context?: { source?: string }) =>
    typeof value === 'number' ? new Digits(context?.source ?? '') : value;
  return (JSON.parse as (text: string, reviver: unknown) => unknown)(text.replace(/^\ufeff/, ''), reviver);
}

function object(value: Any): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Digits) fail();
}
function list(value: Any): Any[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.filter((entry) => entry !== null) : fail();
}
function string(value: Any): string | null {
  return value === null || value === undefined ? null : typeof value === 'string' ? value.toWellFormed() : fail();
}
function number(value: Any): number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string' && /^(?:nan|-?infinity)$/i.test(value)) return null;
  if (!(value instanceof Digits) || !Number.isFinite(Number(value.source))) fail();
  return Number(value.source) + 0;
}
function int64(value: Any): string | null {
  if (value === null || value === undefined) return null;
  if (!(value instanceof Digits) || !/^-?\d{1,19}$/.test(value.source)) fail();
  const integer = BigInt(value.source);
  return BigInt.asIntN(64, integer) === integer ? String(integer) : fail();
}

/** How often the outermost object has a member. */
function countOf(text: string, name: string): number {
  let count = 0;
  let depth = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"\s*:?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (depth === 1 && token.endsWith(':') && JSON.parse(token.slice(0, -1)) === name) count += 1;
  }
  return count;
}

const sizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 500 }), fc.integer({ min: 60_000, max: 300_000 })), {
  minLength: 1,
  maxLength: 4,
});

describe('3.43 A file of random results', () => {
  it('has exactly their rows, or is an error', { tags: ['random'], timeout: 60_000 + CASES * 400 }, async () => {
    const bed = await start({ env: { LOG_LEVEL: 'silent' } });
    let whole = 0;
    await fc.assert(
      fc.asyncProperty(bodies, sizes, async (body, parts) => {
        const bytes = body.bytes(undefined, false);
        bed.simulator.intercept(() => ({
          status: 200,
          // Tiny pieces of a large body would take too long.
          body: pieces(bytes, bytes.length > 50_000 ? [...parts, 250_000] : parts),
        }));
        const expected = linesOf(bytes);
        for (const layout of ['long', 'wide']) {
          const { status, text, isComplete } = await receive(bed, resultsPath(`format=ndjson&layout=${layout}`));
          if (expected === undefined) {
            expect([status, isComplete]).not.toEqual([200, true]);
            continue;
          }
          expect([status, isComplete]).toEqual([200, true]);
          if (layout === 'wide') continue;
          whole += 1;
          const received = text
            .split('\n')
            .slice(0, -1)
            .map((line) => {
              const { asset_version: version, value, ...others } = parse(line);
              return {
                ...others,
                asset_version: version === null ? null : version.source,
                value: value === null ? null : Number(value.source) + 0,
              };
            });
          expect(received).toEqual(expected);
        }
      }),
      { numRuns: CASES },
    );
    expect(whole).toBeGreaterThan(CASES / 20);
  });
});
