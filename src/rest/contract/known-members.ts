import { Members } from '../../../engine/index.ts';
import { EventLoopYielder } from '../../core/event-loop.ts';

/** So many bytes are read at once. */
const SLICE_BYTES = 1 << 18;

/**
 * The members of a JSON object (RFC 8259) that are known, as JSON: of each the last one, as JSON.parse has it. All others are
 * skipped in time slices, however many they are. A known value that is an array or an object is empty in the result: no known field
 * has one.
 *
 * @param names those of the known members
 * @returns undefined if the object has members, but none of them is known
 * @throws BodyError if the body is not a JSON object in UTF-8
 */
export async function knownMembers(body: Buffer, names: readonly string[]): Promise<string | undefined> {
  const members = new Members(names);
  const yielder = new EventLoopYielder();
  for (let at = 0; at < body.length; at += SLICE_BYTES) {
    members.push(body.subarray(at, at + SLICE_BYTES));
    let hasMore: boolean;
    do {
      hasMore = members.work();
      // It may have worked for long, whether or not it has more to do.
      if (yielder.isDue()) await yielder.pause();
    } while (hasMore);
  }
  members.end();
  if (members.count > 0 && members.values.size === 0) return undefined;
  return `{${[...members.values].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join()}}`;
}
