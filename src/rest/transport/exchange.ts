import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ArrivingBody, BodySource } from '../../core/arriving-body.ts';
import type { BodySizes } from '../../core/body-sizes.ts';
import type { PooledBuffer } from '../../core/buffer-pool.ts';
import { nextSlice } from '../../core/event-loop-yielder.ts';
import { BodyMemory } from '../admission/body-memory.ts';
import type { OperationMemory } from '../admission/operation-memory.ts';
import { connectionFailure, ExchangeError, type ExchangeErrorDetails } from '../contract/exchange-error.ts';
import { RestError, type RestFailure } from '../contract/rest-error.ts';
import { BodyBuffer } from './body-buffer.ts';
import { type Decoder, decoderOf } from './encodings.ts';
import type { ConnectionHandler, ServiceConnection } from './service-connection.ts';

/** The maximum of encoded bytes: a coding adds a header, and a few bytes for each block that it cannot compress. */
const maxEncodedBytes = (maxBytes: number): number => maxBytes + Math.floor(maxBytes / 256) + 1024;

/** A body waits for a time slice after so many bytes, and again after each further share of this size. */
const FIRST_BYTES_PER_SLICE = 1 << 18;
const BYTES_PER_SLICE = 1 << 19;
/** Receiving a chunk takes as long as so many bytes. A service may send each byte as one. */
const BYTES_PER_CHUNK = 128;
/** How many bytes of a partial body wait for its reader before the connection does. */
const MIN_AHEAD_BYTES = 1 << 20;
/** The memory of a body for a file whose assets are small, with what waits for its reader. Its operation has reserved it. */
export const FILE_BODY_BYTES = 3 << 20;
/** A reader that takes nothing for so many milliseconds waits for a slow client. The body is read ahead of it, while memory is free. */
const SLOW_READER_MS = 500;

/** The limits of every exchange. */
export interface ExchangeLimits {
  /** Milliseconds from sending the request to the headers of the response. */
  readonly headersTimeoutMs: number;
  /** The maximum body of a 200, in decoded bytes. Encoded bytes are limited too. */
  readonly maxBytes: number;
  /** How many decoded bytes of any other body are read. The rest is discarded. */
  readonly maxErrorBytes: number;
  /**
   * Whether it is for a file. No deadline holds for it, so the time to each chunk is limited, as for any body that passes. It is
   * not read ahead of its client: nobody waits for its connection.
   */
  readonly isForFile: boolean;
  readonly bodySizes: BodySizes;
}

/** The call that an exchange belongs to. */
export interface ExchangeOwner {
  /** Grants memory for the body of a 200. Other bodies are small and need none. */
  readonly memory: OperationMemory;
  /** Is called when the response starts and stops waiting for memory. */
  onWait(isWaiting: boolean): void;
  /** Is called when the body begins to pass. From then on the call takes as long as its reader. */
  onPassing(): void;
  /** Gets a large body while it arrives. `response` still tells whether all of it came. */
  readonly onLargeBody: (body: ArrivingBody) => void;
  /** After so many bytes the body of a 200 waits for the decision whether it is kept. Undefined: all of it is. */
  readonly holdBytes: number | undefined;
}

/** A response of the REST service, with its body decoded. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: PooledBuffer;
}

/**
 * One request and its complete response. It uses undici's dispatch handlers instead of streams for two reasons: they report
 * when the request leaves the queue, so waiting for a socket does not count as a slow service; and they pass on each chunk
 * without copying it.
 *
 * The connection is paused only while the body waits, for memory, for its reader or for a time slice, and is incomplete: if the
 * service closes the connection, undici loses the bytes that it has not read.
 */
export class Exchange implements ConnectionHandler, BodySource {
  /** Set by ServiceConnection. */
  connection?: ServiceConnection;
  /** Rejects with an ExchangeError. */
  readonly response: Promise<HttpResponse>;
  readonly holdBytes: number;
  /** Body bytes received so far, before decoding. */
  bytesReceived = 0;

  readonly #limits: ExchangeLimits;
  readonly #owner: ExchangeOwner;
  readonly #memory: BodyMemory;
  readonly #body: BodyBuffer;
  /** The decoded chunks that arrived while waiting for memory, or for the reader's decision; undefined if it does not wait. */
  #deferred: Buffer[] | undefined;
  #waitsForMemory = false;
  #waitsForSlice = false;
  /** How many bytes are received before it waits for a time slice. */
  #bytesInSlice = FIRST_BYTES_PER_SLICE;
  #hasWaited = false;
  /** The most bytes of a partial body that wait for its reader. */
  #aheadBytes = MIN_AHEAD_BYTES;
  /** The bytes of memory by which a partial body has grown. */
  #grown = 0;
  /** The same of a body for a file, while it holds a large asset: such bodies grow one after the other, so that each can go on. */
  #growth: BodyMemory | undefined;
  /** Whether the connection is paused because the reader of a partial body is slower. */
  #waitsForReader = false;
  #status: number | null = null;
  #headers: IncomingHttpHeaders = {};
  /** The announced length of the body before decoding; NaN if there is none. */
  #length = Number.NaN;
  #controller: Dispatcher.DispatchController | undefined;
  /** Whether the request was sent on a reused connection, and no byte of the response has arrived. */
  #mayBeStale = false;
  #decoder: Decoder | undefined;
  /** Bytes that wait in the decoder. */
  #encoded = 0;
  #headersTimer: NodeJS.Timeout | undefined;
  #stallTimer: NodeJS.Timeout | undefined;
  #aheadTimer: NodeJS.Timeout | undefined;
  #settled = false;
  /** Whether the whole response was received. */
  #received = false;
  /** Whether the whole body was decoded. */
  #decoded = false;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: ExchangeError) => void;

  constructor(limits: ExchangeLimits, owner: ExchangeOwner) {
    this.#limits = limits;
    this.#owner = owner;
    this.#memory = new BodyMemory(owner.memory, limits.isForFile ? FILE_BODY_BYTES : 0);
    this.holdBytes = owner.holdBytes ?? 0;
    this.#body = new BodyBuffer(limits.bodySizes, owner.onLargeBody, owner.holdBytes === undefined ? undefined : this);
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.response = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Whether it has ended, perhaps before it was sent. */
  get isSettled(): boolean {
    return this.#settled;
  }

  /** Whether its body passes, so that it takes as long as its reader. */
  get isPassing(): boolean {
    return this.#body.partial?.isPassing === true;
  }

  get #isPartial(): boolean {
    return this.#body.partial !== undefined;
  }

  /** The reader has decided whether the body is kept. */
  decided(): void {
    if (this.#settled) return;
    const { missingLength } = this.#body;
    if (this.isPassing) this.#owner.onPassing();
    if (this.#isPartial || missingLength === undefined) {
      this.#resume();
      return;
    }
    const memory = this.#memory.reserve(missingLength);
    if (this.#whenGranted(memory, () => this.#body.growTo(missingLength))) this.#resume();
  }

  grow(bytes: number): Promise<void> | undefined {
    const memory = this.#reserveMore(bytes);
    if (memory === undefined || this.#settled) return memory;
    this.#waitsForMemory = true;
    this.#owner.onWait(true);
    return memory.then(() => this.#waitedForMemory());
  }

  shrunk(length: number): void {
    this.#growth?.release();
    const needed = length + (this.isPassing ? MIN_AHEAD_BYTES : 0);
    const unused = Math.max(0, this.#memory.held + this.#grown - needed);
    this.#owner.memory.releaseBytes(unused);
    this.#grown -= unused;
  }

  drained(): void {
    this.#owner.memory.releaseAhead(this.#aheadBytes - MIN_AHEAD_BYTES);
    this.#aheadBytes = MIN_AHEAD_BYTES;
    clearTimeout(this.#aheadTimer);
    if (this.#waitsForReader) this.#goOn();
  }

  released(): void {
    this.#growth?.end(0);
    this.#fail('cancelled', { abortedLocally: true });
  }

  #reserveMore(bytes: number): Promise<void> | undefined {
    if (this.#limits.isForFile) {
      this.#growth ??= new BodyMemory(this.#owner.memory, 0);
      return this.#growth.growBy(bytes);
    }
    this.#grown += bytes;
    return this.#owner.memory.reserve(bytes);
  }

  /**
   * Ends the exchange at once in any state and closes its connection. An error response whose headers have arrived is not
   * aborted but resolved, because its status is enough.
   */
  abort(failure: RestFailure): void {
    // Without waiting for memory it might have been in time.
    if (failure === 'timeout' && this.#hasWaited) this.#failForMemory();
    else this.#fail(failure, { abortedLocally: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) {
      this.#destroyConnection();
      return;
    }
    this.#mayBeStale = this.connection?.use() ?? false;
    this.#headersTimer = setTimeout(() => this.#fail('timeout'), this.#limits.headersTimeoutMs);
  }

  /** Called at the first byte, which may precede the complete headers. */
  onResponseStarted(): void {
    this.#mayBeStale = false;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    clearTimeout(this.#headersTimer);
    this.#status = status;
    this.#headers = headers;
    this.#length = Number(headers['content-length'] ?? Number.NaN);
    // A list if the header was sent several times, contrary to its type.
    const decoder = decoderOf(headers['content-encoding']);
    if (decoder === undefined) {
      this.#fail('invalidResponse');
    } else if (decoder !== null) {
      this.#decodeWith(decoder);
    } else if (status === 200 && this.#length > this.#limits.maxBytes) {
      this.#fail('responseTooLarge');
    } else if (status === 200 && this.#length > 0) {
      const first = this.#body.firstBytes(this.#length);
      this.#whenGranted(this.#memory.reserve(first), () => this.#body.allocate(this.#length));
    }
    this.#watchStall();
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytesReceived += chunk.length;
    if (this.#settled) return;
    const { maxBytes, maxErrorBytes } = this.#limits;
    // A decoder can consume any number of bytes without output.
    if (this.bytesReceived > maxEncodedBytes(this.#status === 200 ? maxBytes : maxErrorBytes)) {
      this.#fail('responseTooLarge');
    } else if (this.#decoder === undefined) {
      this.#addChunk(chunk);
    } else {
      this.#encoded += chunk.length;
      this.#decoder.write(chunk, () => {
        this.#encoded -= chunk.length;
      });
      if (this.#deferred === undefined) this.#ensureMemory(0);
    }
    // undici would wait with the end of the response, and lose it if the connection closes.
    if (this.bytesReceived === this.#length) this.#controller?.resume();
    this.#watchStall();
  }

  onResponseEnd(): void {
    this.#received = true;
    if (this.#settled) return;
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = connectionFailure(error, this.#status !== null);
    if (this.#waitsForMemory) this.#failForMemory(error);
    else this.#fail(failure, { cause: error, isStale: this.#mayBeStale && failure === 'unavailable' });
  }

  #fail(failure: RestFailure, details?: ExchangeErrorDetails): void {
    if (this.#settled) return;
    if (this.#status !== null && this.#status !== 200 && failure !== 'cancelled') {
      this.#finish();
      return;
    }
    this.#settle();
    // The reader of a partial body still has its memory.
    this.#memory.end(this.#isPartial ? this.#memory.held : 0);
    this.#body.release();
    this.#reject(new ExchangeError(failure, this.#status, details));
  }

  /** The response did not get memory in time, or cannot get it. This says nothing about the service. */
  #failForMemory(cause?: unknown): void {
    const known = cause instanceof RestError ? cause : undefined;
    const limit = known?.limit ?? { name: 'MEMORY_BUDGET', value: this.#owner.memory.maxBytes };
    this.#fail(known?.failure ?? 'memoryBudget', { abortedLocally: true, limit, cause });
  }

  #decodeWith(decoder: Decoder): void {
    this.#decoder = decoder;
    decoder.on('data', (chunk: Buffer) => {
      if (!this.#settled) this.#addChunk(chunk);
    });
    decoder.on('end', () => {
      if (!this.#settled) this.#end();
    });
    decoder.on('error', (error) => this.#fail('invalidResponse', { cause: error }));
  }

  #addChunk(chunk: Buffer): void {
    if (this.#deferred !== undefined) {
      this.#deferred.push(chunk);
      return;
    }
    const size = this.#body.size + chunk.length;
    if (this.#status !== 200) {
      this.#body.add(chunk, this.#limits.maxErrorBytes);
      if (size >= this.#limits.maxErrorBytes) this.#finish();
    } else if (size > this.#limits.maxBytes) {
      this.#fail('responseTooLarge');
    } else if (this.#body.isUndecided) {
      this.#deferred = [chunk];
      this.#pause();
    } else if (this.#isSliceOver(chunk)) {
      this.#deferred = [chunk];
      this.#waitForSlice();
    } else if (this.#body.partial !== undefined) {
      this.#pass(chunk, this.#body.partial);
    } else if (this.#ensureMemory(chunk.length)) {
      this.#body.add(chunk, Math.min(this.#limits.maxBytes, this.#memory.held));
    } else {
      this.#deferred = [chunk];
    }
  }

  /** Whether a chunk waits for the next time slice. Of a partial body the reader has slices of its own: only the chunks count. */
  #isSliceOver({ length }: Buffer): boolean {
    const bytes = BYTES_PER_CHUNK + (this.#isPartial ? 0 : length);
    if (bytes <= this.#bytesInSlice) {
      this.#bytesInSlice -= bytes;
      return false;
    }
    this.#bytesInSlice = BYTES_PER_SLICE + bytes;
    return true;
  }

  /**
   * Passes a chunk on. If the reader is slower, the connection waits for it, unless memory is free and a client is slow: then it is free
   * sooner. A body that is skimmed waits for no client.
   */
  #pass(chunk: Buffer, body: ArrivingBody): void {
    this.#body.add(chunk, this.#limits.maxBytes);
    if (body.aheadBytes < this.#aheadBytes || this.#waitsForReader) return;
    this.#waitsForReader = true;
    this.#pause();
    if (body.isPassing && !this.#limits.isForFile)
      this.#aheadTimer = setTimeout(() => this.#readAhead(), SLOW_READER_MS);
  }

  /** Reads twice as much ahead of a slow reader, so that the connection is free sooner. Without memory for it, it waits on. */
  #readAhead(): void {
    if (this.#settled || !this.#waitsForReader) return;
    if (this.#owner.memory.tryReadAhead(this.#aheadBytes)) {
      this.#aheadBytes *= 2;
      this.#goOn();
    } else {
      this.#aheadTimer?.refresh();
    }
  }

  /** The connection need not wait for the reader. */
  #goOn(): void {
    this.#waitsForReader = false;
    this.#decoder?.resume();
    this.#controller?.resume();
    this.#watchStall();
  }

  /** Limits the time to the next chunk of a body for which no deadline holds. */
  #watchStall(): void {
    const hasDeadline = !this.#limits.isForFile && !this.isPassing;
    const isPaused = this.#waitsForReader || this.#deferred !== undefined;
    if (hasDeadline || isPaused || this.#settled || this.#received) return;
    if (this.#stallTimer === undefined)
      this.#stallTimer = setTimeout(() => this.#fail('timeout'), this.#limits.headersTimeoutMs);
    else this.#stallTimer.refresh();
  }

  #pause(): void {
    clearTimeout(this.#stallTimer);
    // A timer that was cleared cannot be refreshed.
    this.#stallTimer = undefined;
    this.#decoder?.pause();
    if (this.bytesReceived !== this.#length) this.#controller?.pause();
  }

  /** Receives more of a large body in a turn of the event loop that has time: many of them would hold up small responses. */
  #waitForSlice(): void {
    this.#waitsForSlice = true;
    this.#pause();
    void nextSlice().then(() => {
      if (this.#waitsForSlice && !this.#settled) this.#resume();
    });
  }

  /** Whether there is memory for the bytes so far and this many more. If not, it starts waiting for memory. */
  #ensureMemory(more: number): boolean {
    const needed = this.#body.size + more + this.#encoded;
    if (this.#status !== 200 || needed <= this.#memory.held) return true;
    return this.#whenGranted(this.#memory.grow(needed), () => {});
  }

  /** Proceeds when the memory is granted. Returns whether that was at once. */
  #whenGranted(memory: Promise<void> | undefined, proceed: () => void): boolean {
    if (memory === undefined) {
      proceed();
      return true;
    }
    this.#deferred ??= [];
    this.#waitsForSlice = false;
    this.#waitsForMemory = true;
    this.#hasWaited = true;
    this.#pause();
    this.#owner.onWait(true);
    memory.then(
      () => {
        if (this.#settled) return;
        proceed();
        this.#resume();
      },
      (error) => this.#failForMemory(error),
    );
    return false;
  }

  /** Adds the deferred chunks, and resumes reading unless these need still more memory. */
  #resume(): void {
    const deferred = this.#deferred ?? [];
    this.#deferred = undefined;
    this.#waitsForSlice = false;
    this.#waitedForMemory();
    for (const chunk of deferred) if (!this.#settled) this.#addChunk(chunk);
    if (this.#settled || this.#deferred !== undefined) return;
    if (this.#decoded) {
      this.#finish();
      return;
    }
    if (this.#waitsForReader) return;
    this.#goOn();
  }

  #waitedForMemory(): void {
    if (this.#waitsForMemory) this.#owner.onWait(false);
    this.#waitsForMemory = false;
  }

  /** The whole body is decoded; its last chunks may still wait for memory. */
  #end(): void {
    this.#decoded = true;
    if (this.#deferred === undefined) this.#finish();
  }

  #finish(): void {
    this.#settle();
    const body = this.#body.join();
    this.#memory.end(this.#isPartial ? this.#memory.held : body.bytes.length);
    if (this.#status !== 200) body.truncate(this.#limits.maxErrorBytes);
    this.#resolve({ status: this.#status ?? 0, headers: this.#headers, body });
  }

  /** Stops everything: the timer, the decoder and the connection. */
  #settle(): void {
    this.#settled = true;
    this.#waitedForMemory();
    this.#deferred = undefined;
    clearTimeout(this.#headersTimer);
    clearTimeout(this.#stallTimer);
    clearTimeout(this.#aheadTimer);
    this.#decoder?.destroy();
    this.#destroyConnection();
  }

  /** Closes the connection unless the whole response was received. */
  #destroyConnection(): void {
    if (!this.#received) this.#controller?.abort(new ExchangeError('cancelled', this.#status));
  }
}
