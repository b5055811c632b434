import { memberNames } from './attributes.ts';
import { Bytes, NULL } from './bytes.ts';
import { Entries, type HeldEntries, Ids } from './entries.ts';
import { Entry, type ListKind } from './entry.ts';
import { type ErrorKind, Errors, type PathError } from './errors.ts';
import type { Input } from './input.ts';
import type { Limits } from './limits.ts';
import type { Memory } from './memory.ts';
import type { Cursor, Page } from './page.ts';
import type { RowReader } from './row-batch.ts';
import { BodyError, needsBytes, type Scanner } from './scanner.ts';
import type { Selection } from './selection.ts';
import { Turn } from './turn.ts';
import type { Workspace } from './workspace.ts';

// What readers are made with.
export type { Limits } from './limits.ts';
export type { Page } from './page.ts';

/** What is longer than this is read again only when twice as much is there: else it would be read too often. */
const SHORT_PART = 1 << 16;

/** The first memory for what is written: of many small responses each is written at once, and to grow costs more than the memory. */
const FIRST_BYTES = 1 << 14;

/** The memory of an id, and of an entry that is noted, about. */
const BYTES_PER_ID = 80;
const BYTES_PER_ENTRY = 200;

const RESULTS = memberNames.length - 1;
const names = ['assets', 'processing_id', 'source_id'].map((name) => Buffer.from(name));

/** Where the reader is: what it reads next. `skipped` is a value that nobody needs. */
type Place = 'start' | 'response' | 'assets' | 'asset' | 'rows' | 'skipped' | 'end' | 'values';

/** What of a response is not in the list. Undefined if it has not come. */
export interface Head {
  processingId?: string | null;
  sourceId?: string | null;
  /** Why one of them is null. */
  readonly errors: { processingId?: ErrorKind; sourceId?: ErrorKind };
  /** The entries of the list. */
  count: number;
  /** The first and the last of them, if they have to be known. */
  start?: Cursor;
  end?: Cursor;
  /** The entries of lists that do not count, because they are not what they must be. */
  omitted: number;
}

/**
 * Reads the bytes of a results response, and writes the list of its assets as it was selected. It goes on where it was: its place is
 * in its fields, and what is not whole is read again, from its first byte, when more bytes have come. What nobody needs, or is too
 * large, is skipped as it comes.
 */
export class Reader {
  readonly head: Head = { errors: {}, count: 0, omitted: 0 };
  readonly #errors = new Errors();
  readonly #workspace: Workspace;
  readonly #input: Input;
  readonly #scanner: Scanner;
  readonly #out: Bytes;
  readonly #memory: Memory;
  readonly #entry: Entry;
  readonly #rows: RowReader;
  /** The entries, if they have to be noted. */
  readonly entries: Entries = new Entries();
  readonly #turn = new Turn();
  readonly #page: Page;
  #place: Place = 'start';
  /** What comes behind the value that is skipped. */
  #placeBehind: Place = 'start';
  /** Whether no other item of the object or list that is read comes before the next one. */
  #isFirst = true;
  /** Whether the body has had the member of the entries, and a list of them; and what the list was before the body. */
  #hasAssets = false;
  #hasEntries = false;
  #listBefore: ListKind = 'absent';
  /** Whether the body has a member that results have, and how many it has. */
  #isKnown = false;
  #members = 0;
  /** Whether a list was begun, in any body; and whether one was no list. */
  #hasBegun = false;
  #list: ListKind = 'absent';
  readonly #hasList: boolean;
  readonly #isPlain: boolean;
  /** The attributes that are needed: a bit for each. */
  readonly #attributes: number;
  readonly #hasBrackets: boolean;
  /** Whether another body comes behind this one. */
  #isFollowed = false;
  /** The values that are computed from all entries. */
  readonly #values: Bytes;
  /** Whether an entry was begun with which the others are written together. */
  #isTogether = false;
  /** The first byte of the entry, and where its rows are. */
  #entryStart = 0;
  #rowsStart = -1;
  #rowsEnd = -1;
  /** The member that was read last, and the one that came behind each, and first: the index of its name. */
  #lastMember = -1;
  readonly #following = new Int8Array(memberNames.length + 1).fill(-1);
  /** The ids of the entries so far, if each asset must have one entry. */
  readonly #ids = new Ids();
  #hasEnded = false;
  #isDone = false;
  /** The first byte that was not read. */
  #at = 0;
  /** Whether nothing more can be read of the bytes that are there. */
  #isTried = false;
  /** So many bytes must be there before it goes on. */
  #needed = 0;
  /** Whether it reads entries that are held, where they are. */
  #isHeld = false;
  /** The first byte of the value that is skipped. */
  #skipStart = 0;
  /** Whether what comes next is not whole, and has more bytes than a part may have. */
  #isLong = false;

  constructor(selection: Selection, limits: Limits, page: Page, workspace: Workspace) {
    workspace.begin(limits);
    this.#workspace = workspace;
    this.#input = workspace.input;
    this.#scanner = workspace.scanner;
    this.#memory = workspace.memory;
    this.#rows = workspace.rows;
    this.#hasList = selection.hasEntries;
    this.#isPlain = selection.isPlain;
    this.#attributes = selection.attributes;
    this.#hasBrackets = this.#hasList && !selection.isPlain && page.isSingle !== true;
    this.#page = page;
    this.#out = new Bytes(this.#memory, FIRST_BYTES, false);
    this.#values = new Bytes(this.#memory, 1 << 8, false);
    this.#entry = new Entry(selection, workspace, this.#out, this.#errors, page);
  }

  /** The errors of values that are null, and how many there are beyond them. */
  get errors(): readonly PathError[] {
    return this.#errors.list;
  }

  get omittedErrors(): number {
    return this.#errors.omitted;
  }

  /** The rows that had to be written once more to be read, and those that were too large. */
  get oddRows(): number {
    return this.#rows.odd;
  }

  /** The work so far, as the limit counts it. */
  get spent(): number {
    return this.#memory.work;
  }

  /** Gives it a chunk to read, which belongs to the caller again, once `work` has returned false for the chunk before. @throws BodyError */
  push(chunk: Buffer): void {
    if (this.#entry.isBusy) throw new Error('There is work left.');
    const input = this.#input;
    const before = input.buffer.length;
    input.append(chunk, this.#at);
    this.#memory.hold(input.buffer.length - before);
    const scanner = this.#scanner;
    scanner.read(input, input.length);
    this.#at = 0;
    this.#isLong = false;
    this.#isTried = input.length < this.#needed;
  }

  /**
   * Gives it whole entries of a body that is held, which it reads where they are: they stay until `work` has returned false. Others of the
   * same body may follow, and `end` follows the last ones.
   */
  readHeld(entries: HeldEntries): void {
    if (this.#entry.isBusy) throw new Error('There is work left.');
    this.#scanner.read(entries, entries.end);
    this.#at = entries.start;
    if (this.#place === 'start') this.#beginList();
    this.#place = 'assets';
    this.#isFirst = true;
    this.#isHeld = true;
    this.#isTried = false;
  }

  /**
   * No more bytes come. If another body follows, whose entries come behind those of this one, `push` its bytes once `work` has returned
   * false.
   */
  end(isFollowed = false): void {
    this.#hasEnded = true;
    this.#isFollowed = isFollowed;
    if (this.#needed > 0 || this.#isHeld) this.#isTried = false;
  }

  /** How many bytes of memory have to be reserved before it goes on: until `reserve` is called, `work` does nothing. */
  get wants(): number {
    return this.#memory.wants;
  }

  /** So many bytes of memory are reserved in addition. */
  reserve(bytes: number): void {
    this.#memory.reserved(bytes);
  }

  /** The bytes of memory in use, without those that were taken. */
  get bytes(): number {
    return this.#memory.bytes;
  }

  /** The first byte of the entry that is read, or else of what comes next. */
  get begun(): number {
    const place = this.#place === 'skipped' ? this.#placeBehind : this.#place;
    const isWithin = place === 'asset' || place === 'rows';
    return isWithin ? this.#entryStart : this.#input.before + this.#at;
  }

  /** What the list of entries is, as far as it is known. */
  get list(): ListKind {
    return this.#list;
  }

  /** Whether all is read that has to be. */
  get isDone(): boolean {
    return this.#isDone;
  }

  /** Works for about a millisecond. Returns whether more is left to do. @throws BodyError also for a response that has ended and is not complete */
  work(): boolean {
    if (this.#isDone) return false;
    if (this.#isTried && !this.#entry.isBusy) {
      if (this.#hasEnded) this.#finish();
      return this.#entry.isBusy;
    }
    if (this.#memory.wants > 0) return true;
    this.#turn.begin();
    try {
      let bytes: number;
      do bytes = this.#entry.isBusy ? this.#entry.step() : this.#next();
      while (!this.#isDone && this.#memory.wants === 0 && !this.#turn.isOver(bytes));
      return !this.#isDone;
    } catch (error) {
      if (error !== needsBytes) throw error;
      return this.#isLeft();
    }
  }

  /** Reads what comes next, from its first byte. Returns how many bytes it has. */
  #next(): number {
    const from = this.#at;
    this.#scanner.at = from;
    if (this.#isHeld && this.#place === 'assets' && from === this.#scanner.end) this.#endHeld();
    else this.#read();
    const bytes = this.#at - from;
    if (bytes > this.#memory.maxPart) this.entries.hasLong = true;
    return bytes;
  }

  /** The held entries that it has are read. */
  #endHeld(): void {
    if (!this.#hasEnded) throw needsBytes;
    if (this.#isTogether) {
      // It comes here again when the entry is written.
      this.#isTogether = false;
      this.#endEntry();
    } else if (this.#isFollowed) {
      this.#restart();
      throw needsBytes;
    } else this.#endAll();
  }

  /** The bytes have ended. Returns whether what is left must be read in another way, else it waits for more bytes. */
  #isLeft(): boolean {
    if (this.#isHeld) {
      this.#isTried = true;
      return false;
    }
    // A character that is cut stays until it is checked.
    if (this.#place === 'skipped') this.#at = Math.min(this.#scanner.at, this.#input.checked);
    const rest = this.#input.length - this.#at;
    const { maxPart } = this.#memory;
    if (rest > maxPart && !this.#isLong) {
      this.#isLong = true;
      return true;
    }
    if (rest > 2 * maxPart) throw new BodyError('tooLong');
    this.#needed = rest > SHORT_PART ? Math.min(2 * rest, rest > maxPart ? 2 * maxPart + 1 : maxPart + 1) : 0;
    this.#isTried = true;
    if (this.#hasEnded) this.#finish();
    return this.#entry.isBusy;
  }

  #finish(): void {
    this.#input.check(this.#input.length);
    if (this.#place !== 'end') throw new BodyError('incomplete');
    if (this.#members > 0 && !this.#isKnown) throw new BodyError('unknown');
    if (this.#isFollowed) this.#restart();
    else this.#endAll();
  }

  /** Another body begins. */
  #restart(): void {
    this.#input.clear();
    this.#at = 0;
    this.#place = 'start';
    this.#isHeld = false;
    this.#hasEnded = false;
    this.#hasAssets = false;
    this.#hasEntries = false;
    this.#listBefore = this.#list;
    this.#isKnown = false;
    this.#members = 0;
    this.#isTried = true;
    this.#needed = 0;
    this.#rowsStart = -1;
    this.#rowsEnd = -1;
  }

  /** All entries are read. */
  #endAll(): void {
    const hasList = this.#list === 'list';
    if (this.#hasBrackets && hasList) this.#out.text(']');
    if (this.#hasBrackets && !hasList) this.#out.literal(NULL);
    if (this.#list === 'wrongType' && this.#hasList) this.#errors.add([], 'wrongType');
    this.#place = 'values';
    this.#isTried = false;
    this.#entry.endAll(this.#values, this.#list);
    if (!this.#entry.isBusy) this.#isDone = true;
  }

  /** The values that are computed from all entries, in their order, when all is done. */
  values(): Buffer[] {
    const bytes = Buffer.concat(this.#values.takeOut());
    const { ends } = this.#entry;
    return ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end));
  }

  /** Takes what was written, once it is so much. A value that is written in parts stays until it is whole: it may become null. */
  take(least = 1): Buffer[] {
    return this.#out.position < least || this.#entry.isWriting ? [] : this.#out.takeOut();
  }

  /** Takes back a piece that nobody reads any more. Returns whether it needs it. Who gives none back leaves them to the garbage collector. */
  give(piece: Buffer): boolean {
    return this.#memory.reuse(piece);
  }

  /** It reads and writes nothing more: another one may use its workspace. What was taken of it stays. */
  close(): void {
    this.#out.release();
    this.#entry.release();
    this.#workspace.end();
  }

  /** Reads what comes next, and goes on behind it. */
  #read(): void {
    switch (this.#place) {
      case 'start':
        this.#start();
        return;
      case 'response':
        this.#member();
        return;
      case 'assets':
        this.#asset();
        return;
      case 'asset':
        this.#attribute();
        return;
      case 'rows':
        this.#row();
        return;
      case 'skipped':
        this.#scanner.skipOn();
        this.#goOn(this.#placeBehind);
        if (this.#input.before + this.#at - this.#skipStart > this.#memory.maxPart) this.entries.hasLong = true;
        return;
      case 'values':
        this.#isDone = true;
        return;
      case 'end':
        this.#scanner.next();
        this.#scanner.fail(this.#scanner.at);
    }
  }

  /** The bytes up to the scanner were read. */
  #goOn(place: Place, isFirst = false): void {
    this.#at = this.#scanner.at;
    this.#place = place;
    this.#isFirst = isFirst;
    this.#isLong = false;
  }

  /** Nobody needs the value at the scanner. */
  #skip(placeBehind: Place): void {
    this.#scanner.beginSkip();
    this.#skipStart = this.#input.before + this.#scanner.at;
    this.#placeBehind = placeBehind;
    this.#goOn('skipped');
  }

  /** Whether the value at the scanner, which is not whole, is too large to be read. */
  get #isTooLarge(): boolean {
    return this.#isLong && this.#scanner.end - this.#scanner.at > this.#memory.maxPart;
  }

  /** Goes to the next item of the object or list. Returns false behind its end. */
  #hasNext(close: number): boolean {
    const scanner = this.#scanner;
    if (scanner.next() === close) {
      scanner.at += 1;
      return false;
    }
    if (!this.#isFirst) scanner.expect(0x2c);
    if (scanner.next() === 0) scanner.fail(scanner.at);
    return true;
  }

  #start(): void {
    const scanner = this.#scanner;
    scanner.byteOrderMark();
    scanner.expect(0x7b);
    this.#goOn('response', true);
  }

  #member(): void {
    const scanner = this.#scanner;
    if (!this.#hasNext(0x7d)) {
      this.#goOn('end');
      return;
    }
    const name = scanner.name(names);
    const start = scanner.at;
    const byte = scanner.bytes[start];
    this.#members += 1;
    if (name < 0) {
      this.#skip('response');
      return;
    }
    this.#isKnown = true;
    if (name > 0) {
      this.#readId(name === 1 ? 'processingId' : 'sourceId');
      return;
    }
    if (this.#hasAssets) this.#forgetList();
    this.#hasAssets = true;
    if (byte === 0x5b) {
      scanner.at += 1;
      this.#hasEntries = true;
      this.#beginList();
      this.#goOn('assets', true);
      return;
    }
    if (byte !== 0x6e) this.#list = 'wrongType';
    // A part of the list may have been sent.
    if (byte !== 0x6e && this.#hasBegun) throw new BodyError('unknown');
    this.#skip('response');
  }

  #beginList(): void {
    if (this.#hasBrackets && !this.#hasBegun) this.#out.text('[');
    this.#hasBegun = true;
    if (this.#list === 'absent') this.#list = 'list';
  }

  /** If the list is repeated, the last one counts, where nothing was written of the first one; but not in a file, which cannot say it. */
  #forgetList(): void {
    const isWritten = this.#hasEntries && this.#hasList;
    if (isWritten || this.#isPlain) throw new BodyError('repeated');
    this.#list = this.#listBefore;
    if (!this.#hasEntries) return;
    this.entries.clear();
    this.#ids.clear();
    this.head.count = 0;
    this.head.omitted = 0;
    this.#hasEntries = false;
    this.#hasBegun = false;
    this.#errors.clear();
    this.#entry.forgetAll();
  }

  #readId(id: 'processingId' | 'sourceId'): void {
    const scanner = this.#scanner;
    const start = scanner.at;
    const isCut = this.#isTooLarge;
    if (isCut) this.#skip('response');
    else {
      scanner.skip();
      this.#goOn('response');
    }
    const isTooLarge = isCut || scanner.at - start > this.#memory.maxPart;
    const value: unknown = isTooLarge ? null : JSON.parse(scanner.bytes.toString('utf8', start, scanner.at));
    this.head[id] = typeof value === 'string' ? value : null;
    if (isTooLarge) this.head.errors[id] = 'tooLarge';
    else if (typeof value !== 'string' && value !== null) this.head.errors[id] = 'wrongType';
    else delete this.head.errors[id];
  }

  #asset(): void {
    const scanner = this.#scanner;
    if (!this.#hasNext(0x5d)) {
      if (this.#isTogether) {
        // The bracket is read again when the entry is written.
        this.#isTogether = false;
        this.#endEntry();
        return;
      }
      this.#goOn('response');
      return;
    }
    const byte = scanner.bytes[scanner.at];
    if (byte === 0x7b) {
      this.#entryStart = this.#input.before + scanner.at;
      this.#rowsStart = -1;
      this.#lastMember = -1;
      scanner.at += 1;
      if (!this.#isTogether) {
        this.#entry.begin(this.head.count, this.#hasList);
        this.#rows.restart();
      }
      this.#goOn('asset', true);
      return;
    }
    if (byte !== 0x6e) this.head.omitted += 1;
    this.#skip('assets');
  }

  #attribute(): void {
    const scanner = this.#scanner;
    const entry = this.#entry;
    if (this.#rowsEnd < this.#rowsStart) this.#rowsEnd = this.#input.before + this.#at;
    if (!this.#hasNext(0x7d)) {
      this.#goOn('assets');
      if (this.#page.together === true) this.#isTogether = true;
      else this.#endEntry();
      return;
    }
    // Members usually come in the order of the entry before.
    const name = scanner.name(memberNames, this.#following[this.#lastMember + 1]);
    const byte = scanner.bytes[scanner.at];
    this.#following[this.#lastMember + 1] = name;
    this.#lastMember = name;
    if (name === RESULTS && byte === 0x5b) {
      this.#rowsStart = this.#input.before + scanner.at;
      this.#beginRows('list');
      // Also where nobody needs them: templates skip them faster than the scanner.
      scanner.at += 1;
      this.#goOn('rows', true);
      return;
    }
    if (name === RESULTS) {
      this.#beginRows(byte === 0x6e ? 'absent' : 'wrongType');
    }
    const isNeeded = (this.#attributes & (1 << name)) !== 0;
    if (name < 0 || name === RESULTS || !isNeeded || this.#isTogether) this.#skip('asset');
    else if (this.#isTooLarge) {
      entry.attributes.lose(name);
      this.#skip('asset');
    } else {
      entry.attributes.read(scanner, name);
      this.#goOn('asset');
    }
  }

  #beginRows(list: ListKind): void {
    if (this.#isTogether) this.#entry.goOnWithRows(list);
    else {
      this.#rows.restart();
      this.#entry.beginRows(list);
    }
  }

  /** The entry is read. Entries without an id do not count. */
  #endEntry(): void {
    const { hasEnds, index: most = 0, isUnique } = this.#page;
    const { attributes } = this.#entry;
    if (this.#entry.needsRows) this.head.omitted += this.#rows.omitted;
    if (!attributes.hasId) {
      this.head.omitted += 1;
      this.#entry.drop();
      return;
    }
    if (isUnique === true) this.#checkUnique(attributes.assetId);
    if (this.entries.length < most || (most > 0 && this.#ids.has(attributes.assetId))) {
      if (Number.isFinite(most)) this.#ids.set(attributes.assetId, 0);
      this.#memory.hold(BYTES_PER_ENTRY);
      this.entries.add(attributes.assetId, attributes.version, {
        start: this.#entryStart,
        end: this.#input.before + this.#at,
        rowsStart: this.#rowsStart,
        rowsEnd: this.#rowsEnd,
      });
    }
    const index = this.head.count;
    this.head.count += 1;
    this.#entry.end(index);
    if (hasEnds !== true) return;
    const end = { index, assetId: attributes.assetId };
    this.head.start ??= end;
    this.head.end = end;
  }

  #checkUnique(assetId: string): void {
    if (this.#ids.has(assetId)) throw new BodyError('repeatedAsset');
    this.#ids.set(assetId, 0);
    this.#memory.hold(BYTES_PER_ID + 2 * assetId.length);
  }

  /** Reads rows that have one template. */
  #row(): void {
    const scanner = this.#scanner;
    if (!this.#hasNext(0x5d)) {
      this.#goOn('asset');
      return;
    }
    const byte = scanner.bytes[scanner.at];
    if (byte !== 0x7b) {
      if (byte !== 0x6e) this.#rows.omitted += 1;
      this.#skip('rows');
      return;
    }
    if (this.#isTooLarge) {
      this.#rows.lose();
      this.#skip('rows');
    } else {
      this.#rows.read(scanner);
      this.#goOn('rows');
    }
    this.#entry.add(this.#rows.rows);
  }
}
