import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { Body, type BodySource, ChunkQueue } from '../../core/body.ts';
import { nextSlice } from '../../core/event-loop.ts';
import { ListEntry } from '../../core/linked-list.ts';
import type { Admission } from '../admission/breaker.ts';
import type { Growing, MemoryRequest } from '../admission/memory.ts';
import { type Operation, type QueuedCall, SMALL_BYTES } from '../admission/operation.ts';
import type { OperationMemory, PendingMemory } from '../admission/operation-memory.ts';
import { connectionFailure, ExchangeError, type ExchangeErrorDetails } from '../contract/exchange-error.ts';
import { httpError } from '../contract/http-error.ts';
import { LABEL_SEARCH_BYTES } from '../contract/labels.ts';
import { type Limit, RestError, type RestFailure } from '../contract/rest-error.ts';
import type { CallKind, CallRequest, CallServices } from './call-kind.ts';
import { type Decoder, decoderOf, isChunked, maxEncodedBytes } from './encodings.ts';
import type { RestCall, RestRequest } from './rest-call.ts';
import type { ConnectionHandler, ServiceConnection } from './service-connection.ts';

/** A body waits for a time slice after so many bytes, and again after each further share of this size. */
const FIRST_BYTES_PER_SLICE = 1 << 18;
const BYTES_PER_SLICE = 1 << 19;
/** Receiving a chunk takes as long as so many bytes. A service may send each byte as one. */
const BYTES_PER_CHUNK = 128;
/** A body of unknown length grows at least by this factor. Smaller steps would copy it too often. */
const MIN_GROWTH = 9 / 8;
/** A reader that takes nothing for so many milliseconds waits for a slow client. The body is read ahead of it, while memory is free. */
const SLOW_READER_MS = 500;

/**
 * The states, in this order; `blocked` and `body` take turns. A call waits for a permit (`queued`), then undici connects (`connecting`);
 * when it is `sent`, the time to the headers is limited; then its `body` arrives, or is `blocked`.
 * It is `done` with its last byte, or with a failure from any state.
 */
type State = 'queued' | 'connecting' | 'sent' | 'body' | 'blocked' | 'done';

/** What a body waits for: memory, its reader, or the next time slice. */
type BlockedBy = 'memory' | 'reader' | 'slice';

/**
 * One REST call, from the queue to the last byte of its response. It uses undici's dispatch handlers instead of streams for two reasons:
 * they report when the request leaves undici's queue, so waiting for a socket does not count as a slow service; and they pass on each chunk
 * without copying it.
 *
 * The connection is paused only while the body is blocked and incomplete: if the service closes the connection, undici loses the bytes
 * that it has not read.
 */
export class Call implements QueuedCall, Growing, ConnectionHandler, BodySource, RestCall {
  readonly operation: Operation;
  readonly mayStall: boolean;
  readonly entry: ListEntry<QueuedCall> = new ListEntry<QueuedCall>(this);
  permit: QueuedCall['permit'] = 'none';
  queuedAt: number | undefined = undefined;
  grown = 0;
  /** The body of a 200, as soon as its headers are there. Rejects with a RestError. */
  readonly response: Promise<Body>;
  /** Is called when it is done. */
  onEnd: (() => void) | undefined;
  /** Set by ServiceConnection. */
  connection?: ServiceConnection;

  readonly #request: CallRequest;
  readonly #kind: CallKind;
  readonly #services: CallServices;
  /** Whether it is for a file: no deadline holds for it, and it is not read ahead of its client, because nobody waits for its connection. */
  readonly #isForFile: boolean;
  /** Whether it may be made again if it fails. */
  readonly #mayRetry: boolean;
  #state: State = 'queued';
  #blockedBy: BlockedBy | undefined;
  /** The timer of the state, if it has one. */
  #timer: NodeJS.Timeout | undefined;
  readonly #started = performance.now();
  /** When it was sent. */
  #sent: number | undefined;
  /** What was sent, for the observer; undefined until then. */
  #asked: RestRequest | undefined;
  /** Undefined until it is sent, and once its success is recorded. */
  #admission: Admission | undefined;
  #controller: Dispatcher.DispatchController | undefined;
  /** Whether the request was sent on a reused connection, and no byte of the response has arrived. */
  #mayBeStale = false;
  #status: number | null = null;
  #headers: IncomingHttpHeaders = {};
  /** The announced length of the body before decoding; NaN if there is none. */
  #length = Number.NaN;
  #decoder: Decoder | undefined;
  /** Bytes that wait in the decoder. */
  #encoded = 0;
  /** Body bytes received, before decoding. */
  #received = 0;
  /** Whether the whole response was received, and whether it was decoded. */
  #hasAll = false;
  #isDecoded = false;

  #body: Body | undefined;
  /** The body of an error. */
  #errorBody: ChunkQueue | undefined;
  readonly #memory: OperationMemory;
  /** The bytes of memory that its operation holds for it, and the request for more, while it waits for it. */
  #reserved: number;
  #pending: PendingMemory | undefined;
  /** The bytes of the body that were passed on, and those of them that its reader has dropped. */
  #size = 0;
  #dropped = 0;
  /** The chunks for which there is no memory yet. */
  readonly #deferred: Buffer[] = [];
  /** How many bytes are received before it waits for a time slice. */
  #bytesInSlice = FIRST_BYTES_PER_SLICE;
  #hasWaited = false;
  #holdsAll: boolean;
  #isStreaming = false;
  /** How many bytes may wait for its reader. */
  #aheadBytes: number;
  readonly #resolve: (body: Body) => void;
  readonly #reject: (error: RestError) => void;

  constructor(request: CallRequest, kind: CallKind, services: CallServices) {
    const { operation, identity, holdBytes } = request;
    const { admission } = kind;
    this.#memory = identity.memory;
    this.operation = identity.memory.operation;
    this.mayStall = operation === 'getDatasetResults';
    this.#request = request;
    this.#kind = kind;
    this.#isForFile = admission === undefined;
    this.#services = services;
    this.#mayRetry = services.retry && request.method === 'GET' && !this.#isForFile;
    this.#holdsAll = holdBytes === undefined;
    this.#reserved = kind.reservedBytes;
    this.#aheadBytes = kind.aheadBytes;
    ({ promise: this.response, resolve: this.#resolve, reject: this.#reject } = Promise.withResolvers<Body>());
    // It fails at once instead of waiting in the queue for a service that is down.
    const mayWait = admission?.breaker.isOpen === true && admission.semaphore.wouldWait(this);
    if (mayWait && !admission.breaker.isClosedFor(this.operation)) this.#fail('circuitOpen');
    else if (admission === undefined) this.start();
    else admission.semaphore.acquire(this);
  }

  get isDone(): boolean {
    return this.#state === 'done';
  }

  /** Whether no deadline of its operation holds: its body takes as long as its reader. */
  get isStreaming(): boolean {
    return this.#isStreaming || this.#isForFile;
  }

  /** The headers of its response, once they are there. */
  get headers(): IncomingHttpHeaders {
    return this.#headers;
  }

  /** The length of its body in bytes. Undefined if it is unknown, or that of a coding. */
  get contentLength(): number | undefined {
    return Number.isNaN(this.#length) || this.#decoder !== undefined ? undefined : this.#length;
  }

  /** Ends it at once, unless it is done. An error response whose headers have arrived is complete then: its status is enough. */
  abort(failure: 'timeout' | 'cancelled'): void {
    // Without waiting for memory it might have been in time.
    if (failure === 'timeout' && this.#hasWaited) this.#failForMemory();
    else this.#fail(failure, { abortedLocally: true });
  }

  // For the queue.

  /** It has a permit. Sends it, unless the circuit is open. */
  start(): void {
    // Another call of its operation has released the permit, when all of them were aborted.
    if (this.#state === 'done') return;
    const { operation, datasetId, filter, method, origin, path, body, identity } = this.#request;
    const { pool, admission, accepted } = this.#kind;
    this.#admission = admission?.breaker.admit(this.operation);
    if (admission !== undefined && this.#admission === undefined) {
      this.#fail('circuitOpen', { abortedLocally: true });
      return;
    }
    const headers = origin === undefined ? ['authorization', identity.authorization, ...accepted] : [...accepted];
    if (body !== null) headers.push('content-type', 'application/json');
    this.#sent = this.queuedAt === undefined ? this.#started : performance.now();
    this.#asked = { operation, datasetId, filter };
    const traced = identity.observer?.callSent(this.#asked, identity.resends, this.#sent - this.#started) ?? [];
    if (origin === undefined) headers.push(...traced);
    admission?.retries.deposit();
    this.#to('connecting');
    // A file has a new connection: its call is not repeated, and the service may have closed an old one meanwhile.
    const where = { ...(origin !== undefined && { origin }), ...(this.#isForFile && { reset: true }) };
    pool.dispatch({ method, path, headers, body, ...where }, this);
  }

  /** The queue is full. */
  reject(): void {
    this.#fail('queueFull', { abortedLocally: true });
  }

  // For undici.

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#state === 'done') {
      controller.abort(new ExchangeError('cancelled', null));
      return;
    }
    this.#mayBeStale = this.connection?.markUsed() ?? false;
    this.#to('sent');
  }

  /** Called at the first byte, which may precede the complete headers. */
  onResponseStarted(): void {
    this.#mayBeStale = false;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200 || this.#state === 'done') return;
    this.#status = status;
    this.#headers = headers;
    this.#length = Number(headers['content-length'] ?? Number.NaN);
    this.#to('body');
    const coding = headers['content-encoding'];
    const decoder = coding === undefined ? null : decoderOf(coding);
    if (decoder === undefined) {
      this.#fail('invalidResponse');
      return;
    }
    // The end of a file that ends with its connection is not known: one that is cut would look complete (RFC 9112, section 8).
    const isDownload = this.#request.operation === 'downloadStaticDataset' && status === 200;
    if (isDownload && Number.isNaN(this.#length) && !isChunked(headers)) {
      this.#fail('invalidResponse');
      return;
    }
    if (decoder !== null) this.#decodeWith(decoder);
    if (status !== 200) return;
    const length = decoder === null && this.#length > 0 ? this.#length : undefined;
    if (length !== undefined && length > this.#kind.maxBytes.value) {
      this.#fail('responseTooLarge');
      return;
    }
    const { holdBytes } = this.#request;
    this.#body = new Body(this, { length, holdBytes, sizes: this.#services.bodySizes });
    if (length !== undefined)
      this.#reserve((this.#holdsAll ? length : Math.min(length, this.#mostUndecided)) - this.#reserved);
    if (!this.isDone) this.#resolve(this.#body);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#received += chunk.length;
    if (this.#state === 'done') return;
    const maxBytes = this.#status === 200 ? this.#kind.maxBytes.value : LABEL_SEARCH_BYTES;
    // A decoder can consume any number of bytes without output.
    if (this.#received > maxBytes && this.#received > maxEncodedBytes(maxBytes)) {
      this.#fail('responseTooLarge');
      return;
    }
    if (this.#decoder === undefined) this.#add(chunk);
    else {
      this.#encoded += chunk.length;
      this.#decoder.write(chunk, () => {
        this.#encoded -= chunk.length;
      });
      if (this.#state === 'body' && this.#status === 200) this.#hasMemoryFor(0);
    }
    // undici would wait with the end of the response, and lose it if the connection closes.
    if (this.#received === this.#length) this.#controller?.resume();
    if (this.#state === 'body' && this.#status === 200 && !this.#hasAll) this.#timer?.refresh();
  }

  onResponseEnd(): void {
    this.#hasAll = true;
    if (this.#state === 'done') return;
    if (this.#state === 'body') clearTimeout(this.#timer);
    if (this.#decoder === undefined) this.#decoded();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = connectionFailure(error, this.#status !== null);
    if (this.#blockedBy === 'memory') this.#failForMemory(error);
    else this.#fail(failure, { cause: error, isStale: this.#mayBeStale && failure === 'unavailable' });
  }

  // For the reader of its body.

  get reserved(): number {
    return this.#reserved;
  }

  get isBlocked(): boolean {
    return this.#blockedBy === 'reader';
  }

  taken(): void {
    if (this.#aheadBytes > this.#kind.aheadBytes && this.#body?.aheadBytes === 0) this.#releaseAhead();
    this.#passOn();
  }

  /** Only a reader that holds a part of the body, and drops the rest, needs more memory than it has. */
  waiting(): void {
    if (this.#blockedBy !== 'reader') return;
    const [next] = this.#deferred;
    if (next === undefined || this.#reserve(Math.max(this.#reserved, next.length))) this.#passOn();
  }

  dropped(bytes: number): void {
    this.#dropped += bytes;
    if (this.#state === 'done') this.#keep(this.#size - this.#dropped);
    else this.#passOn();
  }

  holding(): void {
    if (this.#state === 'done') return;
    this.#holdsAll = true;
    const { length } = this.#body as Body;
    if (length === undefined || this.#blockedBy === 'memory' || this.#reserve(length - this.#reserved)) this.#passOn();
  }

  /** The service works, whatever becomes of the rest of the body. */
  streaming(): void {
    if (this.#state === 'done') return;
    this.#isStreaming = true;
    // From now on others may grow.
    if (this.grown > 0) this.#memory.endGrowth(this);
    this.#kind.admission?.semaphore.pass(this);
    this.#recordResult(200);
    this.#admission = undefined;
    this.#to(this.#state, this.#blockedBy);
  }

  released(): void {
    this.#dropped = this.#size;
    if (this.#state === 'done') this.#keep(0);
    else this.#fail('cancelled', { abortedLocally: true });
  }

  // Inside.

  /** The one place in which the state changes, with the timer and the connection. */
  #to(state: State, blockedBy?: BlockedBy): void {
    if (this.#state === 'done') throw new Error('A call that is done does not change.');
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waitedForMemory = this.#blockedBy === 'memory';
    const wasBlocked = this.#state === 'blocked';
    this.#state = state;
    this.#blockedBy = blockedBy;
    if (waitedForMemory !== (blockedBy === 'memory')) this.#kind.admission?.semaphore.stall(!waitedForMemory);
    if (state === 'sent' || (state === 'body' && (this.#isStreaming || this.#isForFile) && !this.#hasAll)) {
      this.#timer = setTimeout(() => this.#fail('timeout'), this.#services.headersTimeoutMs);
    } else if (blockedBy === 'reader' && this.#isStreaming && !this.#isForFile) {
      this.#timer = setTimeout(() => this.#readAhead(), SLOW_READER_MS);
    }
    if (state === 'blocked') {
      this.#decoder?.pause();
      if (this.#received !== this.#length) this.#controller?.pause();
      // It may have been the last call that was making progress.
      if (blockedBy === 'memory' && !waitedForMemory) this.#services.memory.serve();
    } else if (wasBlocked && state === 'body') {
      this.#decoder?.resume();
      this.#controller?.resume();
    }
  }

  #decodeWith(decoder: Decoder): void {
    this.#decoder = decoder;
    decoder.on('data', (chunk: Buffer) => {
      if (this.#state !== 'done') this.#add(chunk);
    });
    decoder.on('end', () => {
      if (this.#state !== 'done') this.#decoded();
    });
    decoder.on('error', (error) => this.#fail('invalidResponse', { cause: error }));
  }

  #add(chunk: Buffer): void {
    if (this.#status !== 200) {
      this.#errorBody ??= new ChunkQueue();
      this.#errorBody.push(chunk);
      if (this.#errorBody.bytes >= LABEL_SEARCH_BYTES) this.#finish();
      return;
    }
    this.#deferred.push(chunk);
    this.#passOn();
  }

  /** Passes on what has arrived, as far as there is memory for it, and receives more. */
  #passOn(): void {
    if (this.#state === 'done' || this.#blockedBy === 'memory' || this.#blockedBy === 'slice') return;
    const body = this.#body as Body;
    for (let [chunk] = this.#deferred; chunk !== undefined; [chunk] = this.#deferred) {
      if (this.#size + chunk.length > this.#kind.maxBytes.value) {
        this.#fail('responseTooLarge');
        return;
      }
      if (this.#isSliceOver(chunk)) {
        // Many large bodies would hold up small responses.
        this.#to('blocked', 'slice');
        void nextSlice().then(() => this.#blockedBy === 'slice' && this.#goOn());
        return;
      }
      if (!this.#hasMemoryFor(chunk.length)) return;
      this.#deferred.shift();
      this.#size += chunk.length;
      body.push(chunk);
    }
    if (this.#isDecoded) this.#finish();
    else if (body.aheadBytes >= this.#aheadBytes) {
      if (this.#state !== 'blocked') this.#to('blocked', 'reader');
    } else if (this.#state === 'blocked') this.#to('body');
    // Of a body that passes only what waits for its reader needs memory.
    if (this.#isStreaming && !this.isDone) {
      const needed = Math.max(this.#held, 2 * this.#kind.aheadBytes);
      if (needed < this.#reserved) this.#keep(needed);
    }
  }

  /** Whether a chunk waits for the next time slice. A reader that may drop bytes has slices of its own: only the chunks count. */
  #isSliceOver({ length }: Buffer): boolean {
    const bytes = BYTES_PER_CHUNK + (this.#holdsAll ? length : 0);
    if (bytes <= this.#bytesInSlice) {
      this.#bytesInSlice -= bytes;
      return false;
    }
    this.#bytesInSlice = BYTES_PER_SLICE + bytes;
    return true;
  }

  /** The most bytes that a reader holds before it has decided whether it keeps the body. */
  get #mostUndecided(): number {
    return (this.#request.holdBytes ?? 0) + this.#services.bodySizes.rest;
  }

  /** The bytes that are held, wait for the reader, or wait in the decoder. */
  get #held(): number {
    return this.#size - this.#dropped + this.#encoded;
  }

  /** Whether there is memory for so many bytes more. If not, the body is blocked. */
  #hasMemoryFor(bytes: number): boolean {
    const needed = this.#held + bytes;
    if (needed <= this.#reserved + this.#aheadBytes - this.#kind.aheadBytes) return true;
    if (!this.#holdsAll && needed - this.#encoded > this.#mostUndecided) {
      // The reader takes what there is, and drops it, or decides, or needs more.
      if (this.#blockedBy !== 'reader') this.#to('blocked', 'reader');
      this.#body?.wake();
      return false;
    }
    if (this.#isStreaming) return this.#reserve(needed - this.#reserved);
    if (needed <= SMALL_BYTES) return this.#reserve(Math.min(2 * needed, SMALL_BYTES) - this.#reserved);
    const least = Math.max(needed, Math.min(Math.ceil(needed * MIN_GROWTH), this.#memory.free + this.#reserved));
    const upTo = Math.max(least, 2 * needed) - this.#reserved;
    return this.#reserve(least - this.#reserved, { of: this, upTo, least: needed - this.#reserved });
  }

  /**
   * Reserves so many bytes more, or more than that of a body that grows. Returns whether they are there at once. If not, the body is
   * blocked until they are.
   */
  #reserve(bytes: number, growth?: MemoryRequest['growth']): boolean {
    const memory = this.#memory.request(bytes, growth);
    if (typeof memory === 'number') {
      this.#reserved += memory;
      return true;
    }
    this.#hasWaited = true;
    this.#pending = memory;
    this.#to('blocked', 'memory');
    memory.granted.then(
      (granted) => {
        this.#reserved += granted;
        if (this.#blockedBy === 'memory') this.#goOn();
        // It was granted when the call was done.
        else this.#keep(Math.max(0, this.#reserved - granted));
      },
      (error) => this.#failForMemory(error),
    );
    return false;
  }

  /** Releases all but so many bytes. What was received while the length was unknown no longer grows. */
  #keep(bytes: number): void {
    const released = Math.max(0, this.#reserved - bytes);
    this.#reserved -= released;
    this.#memory.releaseBytes(released);
    if (this.grown > 0) this.#memory.endGrowth(this);
  }

  /** What it has waited for is there. */
  #goOn(): void {
    this.#to('blocked');
    this.#passOn();
  }

  /** Reads twice as much ahead of a slow reader, so that the connection is free sooner. Without memory for it, it waits on. */
  #readAhead(): void {
    if (this.#memory.tryReadAhead(this.#aheadBytes)) {
      this.#aheadBytes *= 2;
      this.#passOn();
    } else this.#timer?.refresh();
  }

  #releaseAhead(): void {
    this.#memory.releaseAhead(this.#aheadBytes - this.#kind.aheadBytes);
    this.#aheadBytes = this.#kind.aheadBytes;
  }

  /** The whole body is decoded. Its last chunks may still wait for memory. */
  #decoded(): void {
    this.#isDecoded = true;
    if (this.#deferred.length === 0 && this.#blockedBy !== 'memory') this.#finish();
  }

  /** The response did not get memory in time, or cannot get it. This says nothing about the service. */
  #failForMemory(cause?: unknown): void {
    const known = cause instanceof RestError ? cause : undefined;
    const limit = known?.limit ?? { name: 'MEMORY_BUDGET', value: this.#memory.maxBytes };
    this.#fail(known?.failure ?? 'memoryBudget', { abortedLocally: true, limit, cause });
  }

  /** All of the response is there, or as much of an error as counts. */
  #finish(): void {
    const status = this.#status as number;
    const { operation, datasetId, identity } = this.#request;
    this.#done(this.#held);
    this.#recordResult(status);
    this.#release();
    if (status === 401) this.#services.onRejected(identity.authorization, undefined);
    else if (status === 403) this.#services.onRejected(identity.authorization, datasetId);
    if (status === 200) {
      this.#record(undefined);
      this.#body?.end();
      return;
    }
    const bytes = this.#errorBody?.join().subarray(0, LABEL_SEARCH_BYTES) ?? Buffer.alloc(0);
    const error = httpError(operation, status, this.#headers, bytes, this.#mayRetry);
    this.#record(error);
    this.#reject(error);
  }

  #fail(failure: RestFailure, details?: ExchangeErrorDetails): void {
    if (this.#state === 'done') return;
    if (this.#status !== null && this.#status !== 200 && failure !== 'cancelled') {
      this.#finish();
      return;
    }
    // Its reader still has what it holds.
    this.#done(this.#held);
    const failed = new ExchangeError(failure, this.#status, details);
    this.#recordResult(failed);
    // Other calls that are aborted with it must not be sent before they are.
    queueMicrotask(() => this.#release());
    const error = this.#errorOf(failed);
    this.#record(error);
    this.#body?.fail(error);
    this.#reject(error);
  }

  /** Once: the timer, the decoder, the connection, the memory. @param kept the bytes of memory that its reader needs */
  #done(kept: number): void {
    this.#to('done');
    this.#deferred.length = 0;
    this.#decoder?.destroy();
    if (!this.#hasAll) this.#controller?.abort(new ExchangeError('cancelled', this.#status));
    if (this.#aheadBytes > this.#kind.aheadBytes) this.#releaseAhead();
    this.#pending?.cancel();
    this.#keep(kept);
    this.onEnd?.();
  }

  /** Records what the service has answered, or why it has not. */
  #recordResult(result: number | ExchangeError): void {
    if (this.#admission !== undefined) this.#kind.admission?.breaker.record(this.operation, this.#admission, result);
  }

  #release(): void {
    this.#kind.admission?.semaphore.release(this);
    this.#services.memory.serve();
  }

  #errorOf({ failure, status, cause, limit: own, isStale }: ExchangeError): RestError {
    const limit = own ?? this.#limitOf(failure);
    const canRetry = this.#mayRetry && failure === 'unavailable' && status === null;
    const canRetryAtOnce = this.#services.retry && isStale && !this.#isForFile;
    const details = { status, cause, canRetry, canRetryAtOnce, ...(limit && { limit }) };
    return new RestError(this.#request.operation, failure, details);
  }

  /** The setting that was exceeded. */
  #limitOf(failure: RestFailure): Limit | undefined {
    if (failure === 'queueFull') return { name: 'UPSTREAM_QUEUE', value: this.#services.queue };
    return failure === 'responseTooLarge' ? this.#kind.maxBytes : undefined;
  }

  #record(error: RestError | undefined): void {
    const { operation, identity } = this.#request;
    const { observer, resends } = identity;
    const milliseconds = performance.now() - this.#started;
    const waited = this.#sent === undefined ? undefined : this.#sent - this.#started;
    const sent = { request: this.#asked, bytes: this.#received, status: this.#status };
    observer?.callEnded?.({ operation, ...sent, error, milliseconds, waited, resends });
  }
}
