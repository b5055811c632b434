import { describe, expect, it } from 'vitest';
import { Scanner } from '../scanner.ts';
import { fieldsOf } from './fields.ts';
import { inPieces, read } from './read.ts';

/** However small the pieces of a body are, not much of it is read again: what is long waits until twice as much is there. */

const asked = { entries: fieldsOf(['asset', ['assetId', 'name']], ['rows', ['valueDate']]) };

/** How many bytes a reader begins to read, in pieces of 256 bytes: those of a piece, and what was left of those before. */
function bytesRead(body: string): number {
  let bytes = 0;
  let isBegun = false;
  const { next } = Scanner.prototype;
  // What is not whole is read again from its first byte, which a call of this finds.
  Scanner.prototype.next = function () {
    if (!isBegun) bytes += this.end - this.at;
    isBegun = true;
    return next.call(this);
  };
  function* pieces() {
    for (const piece of inPieces(Buffer.from(body), [256])) {
      isBegun = false;
      yield piece;
    }
  }
  try {
    read(asked, pieces());
  } finally {
    Scanner.prototype.next = next;
  }
  return bytes;
}

const assetOf = (members: string) => `{"assets":[{"asset_id":"1",${members}}]}`;
const row = '{"value_date":"2024-01-01T00:00:00Z","metrics":[{"name":"a","value":1.5},{"name":"b","value":-2}]}';
const rows = (bytes: number) => Array.from({ length: bytes / row.length }, () => row).join();
const metrics = (bytes: number) =>
  Array.from({ length: bytes / 26 }, (_, index) => `{"name":"${index}","value":1}`).join();

describe('What is read again', () => {
  it.each<[what: string, bytes: number, body: (bytes: number) => string]>([
    ['the rows of an asset', 500_000, (bytes) => assetOf(`"results":[${rows(bytes)}]`)],
    ['assets', 100_000, (bytes) => `{"assets":[${'{"asset_id":"1","results":[]},'.repeat(bytes / 30)}null]}`],
    ['a row', 250_000, (bytes) => assetOf(`"results":[${row},{"metrics":[${metrics(bytes)}]}]`)],
    ['an attribute', 250_000, (bytes) => assetOf(`"asset_name":"${'é'.repeat(bytes / 2)}"`)],
    ['an id', 250_000, (bytes) => `{"assets":[],"processing_id":"${'x'.repeat(bytes)}"}`],
    ['a name', 250_000, (bytes) => assetOf(`"${'x'.repeat(bytes)}":1`)],
    ['a number', 250_000, (bytes) => assetOf(`"x":[${'1'.repeat(bytes)}]`)],
    ['an unknown member', 250_000, (bytes) => assetOf(`"x":[${rows(bytes)}],"y":"${'é'.repeat(bytes)}"`)],
    ['white space at the start', 500_000, (bytes) => `${' '.repeat(bytes)}{"assets":[]}`],
    ['white space at the end', 500_000, (bytes) => `{"assets":[]}${'\n'.repeat(bytes)}`],
    ['white space in a list', 500_000, (bytes) => `{"assets":[null,${' '.repeat(bytes)}null]}`],
    ['white space before a value', 500_000, (bytes) => assetOf(`"results":${'\t'.repeat(bytes)}[${row}]`)],
  ])('of %s does not grow faster than it', (_, bytes, body) => {
    const [less, four] = [body(bytes), body(4 * bytes)];
    expect(four.length).toBeGreaterThan(3.9 * less.length);
    expect(bytesRead(four)).toBeLessThan(4.1 * bytesRead(less));
  });
});
