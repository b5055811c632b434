import fc from 'fast-check';
import { expect, it } from 'vitest';
import { ofDataset, start } from '../support/harness.ts';
import { escaped } from '../support/json-text.ts';
import { randomCases } from '../support/random-cases.ts';

const CASES = randomCases(800);
/** Larger metadata are refused. */
const MAX_BYTES = 4 * 2 ** 20;

/** The fields of a dataset, each with its name on the wire and what it may have. */
const fields = {
  name: ['name', 'text'],
  description: ['description', 'text'],
  assetCount: ['asset_count', 'int32'],
  attributionText: ['attributionText', 'text'],
  attributionFile: ['attributionFile', 'text'],
  startDate: ['start_date', 'int64'],
  stopDate: ['stop_date', 'int64'],
} as const;
const QUERY = ofDataset(Object.keys(fields).join(' '));

/** A number as it is written. */
class Literal {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** What JSON.parse makes of a body, with each number as it is written; undefined if it is not JSON. */
function parsed(bytes: Buffer): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return JSON.parse(text, (_key, value, context?: { source?: string }) =>
      typeof value === 'number' ? new Literal(context?.source ?? '') : value,
    );
  } catch {
    return undefined;
  }
}

/** A value of a response, or undefined if its field has an error. */
function shown(value: unknown, type: 'text' | 'int32' | 'int64'): unknown {
  if (value === null || value === undefined) return null;
  if (type === 'text') return typeof value === 'string' ? value : undefined;
  if (!(value instanceof Literal)) return undefined;
  const number = Number(value.text);
  if (type === 'int32') return (number | 0) === number ? number + 0 : undefined;
  if (!/^-?\d{1,19}$/.test(value.text)) return undefined;
  const exact = BigInt(value.text);
  return BigInt.asIntN(64, exact) === exact ? String(exact) : undefined;
}

/** The data of the dataset, and the fields with errors; undefined if the body is invalid as a whole. */
function expected(bytes: Buffer): { data: object; wrong: string[] } | undefined {
  const body = parsed(bytes);
  if (typeof body !== 'object' || body === null || Array.isArray(body) || body instanceof Literal) return undefined;
  const names = Object.keys(body);
  const known = ['id', 'sharedOption', 'processing_id', 'processing_name', 'source_id', 'source_name'];
  const all: readonly string[] = [...known, ...Object.values(fields).map(([name]) => name)];
  if (names.length > 0 && !names.some((name) => all.includes(name))) return undefined;
  const values = Object.entries(fields).map(([field, [name, type]]) => {
    return [field, shown(Object.getOwnPropertyDescriptor(body, name)?.value, type)] as const;
  });
  return {
    data: Object.fromEntries(values.map(([field, value]) => [field, value ?? null])),
    wrong: values.flatMap(([field, value]) => (value === undefined ? [field] : [])),
  };
}

/** What is long, by the characters that stand for it in a case. */
const LONG: Readonly<Record<string, string>> = {
  // Longer than what is read at once.
  '‹spaces›': ' '.repeat(270_000),
  // Several times as long.
  '‹more›': ' '.repeat(9000),
  '‹text›': 'x'.repeat(270_000),
  '‹escapes›': '\\n'.repeat(150_000),
  '‹list›': `[${'1,'.repeat(150_000)}1]`,
  // About as deep as the scanner goes.
  '‹deep›': `${'[{"name":'.repeat(499)}1${'}]'.repeat(499)}`,
};

const NUMBERS = [
  '0',
  '-0',
  '007',
  '1e3',
  '1.0',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '+1',
];
const WORDS = [
  'null',
  'true',
  'fals',
  '""',
  '"a',
  '"\\u00e9\\ud83d\\ude00"',
  '"\\ud800"',
  '"\\x"',
  '"é€😀"',
  '"\u0001"',
];
const OTHERS = ['[]', '{}', '[1,[{"name":"inner"}]]', '{"name":{"name":1}}', '[', '[1,]', '{"a":1,}', 'NaN', '', '1 1'];
const value = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom('1', '"a"', 'null') },
  fc.constantFrom(...NUMBERS),
  fc.constantFrom(...WORDS),
  fc.constantFrom(...OTHERS),
  fc.constantFrom('"‹text›"', '"‹escapes›"', '‹list›', '‹deep›'),
  fc.string({ unit: 'binary', maxLength: 8 }).map((text) => JSON.stringify(text)),
  fc.integer().map(String),
);
const NAMES = [...Object.values(fields).map(([name]) => name), 'id', 'x', 'Name', 'names', '__proto__', ''];
const space = fc.oneof(
  { weight: 30, arbitrary: fc.constant('') },
  { weight: 6, arbitrary: fc.constantFrom(' ', '\n\t\r ', '‹spaces›') },
  { weight: 1, arbitrary: fc.constant('\u00a0') },
);
/** Behind half of all bodies, so that they are read in slices, too. */
const end = fc.tuple(fc.constantFrom('', '‹more›'), space).map((spaces) => spaces.join(''));
const member = fc
  .tuple(fc.constantFrom(...NAMES), fc.boolean(), value, space, space)
  .map(([name, isEscaped, json, before, after]) => {
    return `${before}${isEscaped ? escaped(name) : JSON.stringify(name)}${after}:${before}${json}${after}`;
  });
const text = fc
  .tuple(fc.constantFrom('', '', '', '\ufeff'), fc.array(member, { maxLength: 8 }), end)
  .map(([mark, members, after]) => `${mark}{${members.join()}}${after}`);
/** A byte of it that is another one. */
const damage = fc.option(fc.tuple(fc.nat(), fc.nat(255)), { freq: 6 });

function bodyOf([json, damaged]: [string, [number, number] | null]): Buffer {
  const bytes = Buffer.from(json.replace(/‹\w+›/g, (long) => LONG[long] ?? ''));
  if (damaged !== null) bytes[damaged[0] % bytes.length] = damaged[1];
  return bytes;
}

/** What JSON.parse says of a body is what clients see of it, and at once of any member that the specification does not name. */
it('3.17 Metadata have the values that JSON.parse reads, however odd the body is', {
  tags: ['random'],
  timeout: 180_000,
}, async () => {
  const bed = await start({ env: { LOG_LEVEL: 'silent', UPSTREAM_RETRY: 'off', UPSTREAM_CIRCUIT: 'off' } });
  let [right, wrong] = [0, 0];
  await fc.assert(
    fc.asyncProperty(fc.tuple(text, damage), async (each) => {
      const bytes = bodyOf(each);
      fc.pre(bytes.length <= MAX_BYTES);
      bed.simulator.clear();
      bed.simulator.intercept(() => ({ status: 200, body: bytes }));
      const answer = (await bed.query(QUERY)).body;
      const ofBody = expected(bytes);
      if (ofBody === undefined) {
        wrong += 1;
        expect(answer.data.dataset).toEqual(Object.fromEntries(Object.keys(fields).map((field) => [field, null])));
        expect(answer.errors[0].extensions.code).toBe('UPSTREAM_INVALID_RESPONSE');
        return;
      }
      right += 1;
      expect(answer.data.dataset).toEqual(ofBody.data);
      const errors: readonly { path: string[] }[] = answer.errors ?? [];
      const paths = errors.map(({ path }) => path.at(-1));
      expect(paths.toSorted()).toEqual(ofBody.wrong.toSorted());
    }),
    { numRuns: CASES },
  );
  expect(Math.min(right, wrong)).toBeGreaterThan(CASES / 40);
});
