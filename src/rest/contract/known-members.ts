import { isUtf8 } from 'node:buffer';
import { EventLoopYielder } from '../../core/event-loop-yielder.ts';
import { byteOrderMarkIn } from '../../scanner/characters.ts';
import { notJson, Scanner } from '../../scanner/scanner.ts';
import { runSteps, type Steps } from '../../scanner/steps.ts';
import { YieldingReader } from '../../scanner/yielding-reader.ts';

/** The window of the scanner in bytes. */
const WINDOW_BYTES = 1 << 18;

/** The names of members whose values are scalars, also as bytes for the scanner. */
export interface KnownNames {
  readonly names: readonly string[];
  readonly bytes: readonly Uint8Array[];
}

export function knownNames(names: readonly string[]): KnownNames {
  return { names, bytes: names.map((name) => Buffer.from(name)) };
}

/**
 * The members of a JSON object (RFC 8259) that are known, as JSON: of each the last one, as JSON.parse has it. All others are
 * skipped in time slices, however many they are. A known value that is an array or an object is empty in the result: no known field
 * has one.
 *
 * @returns undefined if the object has members, but none of them is known
 * @throws notJson if the body is not a JSON object in UTF-8
 */
export async function knownMembers(body: Buffer, known: KnownNames): Promise<string | undefined> {
  if (!isUtf8(body)) throw notJson;
  const yielder = new EventLoopYielder();
  const reader = new YieldingReader(new Scanner(body, WINDOW_BYTES, byteOrderMarkIn(body)), yielder);
  const values = await runSteps(readMembers(reader, known), yielder);
  return values && `{${[...values].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}

/** The values by their names. */
function* readMembers(reader: YieldingReader, { names, bytes }: KnownNames): Steps<Map<string, string> | undefined> {
  const { scanner } = reader;
  const values = new Map<string, string>();
  if ((yield* reader.next()) !== 0x7b) throw notJson;
  const isEmpty = yield* reader.isEmpty(0x7d);
  if (!isEmpty) {
    do {
      const name = names[yield* reader.name(bytes)];
      const start = scanner.at;
      yield* reader.skip(false);
      if (name !== undefined) values.set(name, scalar(scanner.whole.toString('utf8', start, scanner.at)));
    } while (yield* reader.more(0x7d));
  }
  if ((yield* reader.next()) !== -1) throw notJson;
  return isEmpty || values.size > 0 ? values : undefined;
}

/** The JSON of a value, without what is in an array or object. */
function scalar(json: string): string {
  return json.startsWith('[') || json.startsWith('{') ? '[]' : json;
}
