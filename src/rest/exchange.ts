import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import type { ArrivingBody } from '../core/arriving-body.ts';
import type { PooledBuffer } from '../core/buffer-pool.ts';
import { BodyBuffer } from './body-buffer.ts';
import { BodyMemory } from './body-memory.ts';
import { connectionFailure } from './connection-failure.ts';
import { type Decoder, decoderOf } from './encodings.ts';
import { RestError, type RestFailure } from './errors.ts';
import { ExchangeError, type ExchangeErrorDetails } from './exchange-error.ts';
import type { OperationMemory } from './operation-memory.ts';
import type { ConnectionHandler } from './service-connection.ts';

/** What a coding may add to bytes that it cannot make fewer: its own head, and a little for each block. */
const maxOnTheWire = (maxBytes: number): number => maxBytes + Math.floor(maxBytes / 256) + 1024;

/** How much of an answer is taken, and how long is waited for its head. */
export interface ExchangeOptions {
  /** Milliseconds from the request's leaving to the answer's head. */
  readonly headersTimeoutMs: number;
  /** The largest body of a 200, in decoded bytes; a larger one is refused, also one that has hardly more bytes encoded. */
  readonly maxBytes: number;
  /** How many decoded bytes of another body are read; the rest is not waited for. */
  readonly maxErrorBytes: number;
  /** Where the memory of the body of a 200 is taken from. Another body needs none of it. */
  readonly memory: OperationMemory;
  /** Is told when the answer begins to wait for memory, and when it goes on. */
  readonly onWait: (isWaiting: boolean) => void;
  /** Gets a large body while it arrives. `response` still tells whether all of it came. */
  readonly onLargeBody: (body: ArrivingBody) => void;
}

/** An answer of the REST service, its body decoded from its content coding. */
export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: PooledBuffer;
}

/**
 * One request and its answer, read whole. Made on undici's dispatch handlers and not on its streams, because those
 * say when the request leaves its queue (so that waiting for a socket does not count as a slow service) and hand over
 * each chunk without another copy.
 *
 * The connection is paused for want of memory alone, and only while more of the body is to come: what undici has not
 * read when the service closes the connection is lost.
 */
export class Exchange implements ConnectionHandler {
  /** Set by the connection. */
  isReused?: () => boolean;
  /** The answer; rejects with an ExchangeError. */
  readonly response: Promise<HttpResponse>;
  /** Body bytes received so far, before decoding. */
  bytesReceived = 0;

  readonly #options: ExchangeOptions;
  readonly #memory: BodyMemory;
  readonly #body: BodyBuffer;
  /** What has come while memory is waited for, decoded; undefined while none is. */
  #early: Buffer[] | undefined;
  #hasWaited = false;
  #status: number | null = null;
  #headers: IncomingHttpHeaders = {};
  /** Body bytes announced, before decoding; NaN where they are not. */
  #length = Number.NaN;
  #controller: Dispatcher.DispatchController | undefined;
  /** Whether the request has left on a connection that was used before, and nothing of its answer has come. */
  #mayBeStale = false;
  #decoder: Decoder | undefined;
  /** Bytes that wait for the decoder. */
  #encoded = 0;
  #headersTimer: NodeJS.Timeout | undefined;
  #settled = false;
  /** Whether the answer has come to its end, and whether that is decoded, too. */
  #received = false;
  #ended = false;
  readonly #resolve: (response: HttpResponse) => void;
  readonly #reject: (error: ExchangeError) => void;

  constructor(options: ExchangeOptions) {
    this.#options = options;
    this.#memory = new BodyMemory(options.memory);
    this.#body = new BodyBuffer(options.onLargeBody);
    const { promise, resolve, reject } = Promise.withResolvers<HttpResponse>();
    this.response = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /**
   * Ends the exchange at once, whether it is queued, sent or being answered; its connection is closed. Once the head
   * of an error answer is there its status says enough, whatever becomes of its body.
   */
  abort(failure: RestFailure): void {
    // Without the wait it might have been there in time.
    if (failure === 'timeout' && this.#hasWaited) this.#failForMemory();
    else this.#fail(failure, { abortedLocally: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) {
      this.#destroyConnection();
      return;
    }
    this.#mayBeStale = this.isReused?.() ?? false;
    this.#headersTimer = setTimeout(() => this.#fail('timeout'), this.#options.headersTimeoutMs);
  }

  /** Its first byte is there, perhaps not yet its head. */
  onResponseStarted(): void {
    this.#mayBeStale = false;
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    clearTimeout(this.#headersTimer);
    this.#status = status;
    this.#headers = headers;
    this.#length = Number(headers['content-length'] ?? Number.NaN);
    // A list where the header was sent several times, whatever its type says.
    const decoder = decoderOf(headers['content-encoding']);
    if (decoder === undefined) {
      this.#fail('invalidResponse');
    } else if (decoder !== null) {
      this.#decodeWith(decoder);
    } else if (status === 200 && this.#length > this.#options.maxBytes) {
      this.#fail('responseTooLarge');
    } else if (status === 200 && this.#length > 0) {
      this.#after(this.#memory.reserve(this.#length), () => this.#body.expect(this.#length));
    }
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytesReceived += chunk.length;
    if (this.#settled) return;
    const { maxBytes, maxErrorBytes } = this.#options;
    // A coding can take up bytes without end and give none.
    if (this.bytesReceived > maxOnTheWire(this.#status === 200 ? maxBytes : maxErrorBytes)) {
      this.#fail('responseTooLarge');
    } else if (this.#decoder === undefined) {
      this.#take(chunk);
    } else {
      this.#encoded += chunk.length;
      this.#decoder.write(chunk, () => {
        this.#encoded -= chunk.length;
      });
      if (this.#early === undefined) this.#secure(0);
    }
  }

  onResponseEnd(): void {
    this.#received = true;
    if (this.#settled) return;
    if (this.#decoder === undefined) this.#end();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    const failure = connectionFailure(error, this.#status !== null);
    if (this.#early !== undefined) this.#failForMemory(error);
    else this.#fail(failure, { cause: error, isStale: this.#mayBeStale && failure === 'unavailable' });
  }

  #fail(failure: RestFailure, details?: ExchangeErrorDetails): void {
    if (this.#settled) return;
    if (this.#status !== null && this.#status !== 200 && failure !== 'cancelled') {
      this.#finish();
      return;
    }
    this.#settle();
    this.#body.drop();
    this.#memory.end(0);
    this.#reject(new ExchangeError(failure, this.#status, details));
  }

  /** The answer waited for memory until it was too late, or there can be none; that tells nothing of the service. */
  #failForMemory(cause?: unknown): void {
    const known = cause instanceof RestError ? cause : undefined;
    const limit = known?.limit ?? { name: 'MEMORY_BUDGET', value: this.#options.memory.most };
    this.#fail(known?.failure ?? 'memoryBudget', { abortedLocally: true, limit, cause });
  }

  #decodeWith(decoder: Decoder): void {
    this.#decoder = decoder;
    decoder.on('data', (chunk: Buffer) => {
      if (!this.#settled) this.#take(chunk);
    });
    decoder.on('end', () => {
      if (!this.#settled) this.#end();
    });
    decoder.on('error', (error) => this.#fail('invalidResponse', { cause: error }));
  }

  /** A chunk of the decoded body is there. */
  #take(chunk: Buffer): void {
    if (this.#early !== undefined) {
      this.#early.push(chunk);
      return;
    }
    const size = this.#body.size + chunk.length;
    if (this.#status !== 200) {
      this.#body.add(chunk, this.#options.maxErrorBytes);
      if (size >= this.#options.maxErrorBytes) this.#finish();
    } else if (size > this.#options.maxBytes) {
      this.#fail('responseTooLarge');
    } else if (this.#secure(chunk.length)) {
      this.#body.add(chunk, Math.min(this.#options.maxBytes, this.#memory.held));
    } else {
      this.#early = [chunk];
    }
  }

  /** Whether there is memory for what has come, and for so many bytes more; if not, it is waited for. */
  #secure(more: number): boolean {
    const needed = this.#body.size + more + this.#encoded;
    if (this.#status !== 200 || needed <= this.#memory.held) return true;
    return this.#after(this.#memory.grow(needed), () => {});
  }

  /** Goes on when the memory is there; whether that is so at once. */
  #after(memory: Promise<void> | undefined, goOn: () => void): boolean {
    if (memory === undefined) {
      goOn();
      return true;
    }
    this.#early = [];
    this.#hasWaited = true;
    this.#decoder?.pause();
    if (this.bytesReceived !== this.#length) this.#controller?.pause();
    this.#options.onWait(true);
    memory.then(
      () => {
        if (this.#settled) return;
        goOn();
        this.#resume();
      },
      (error) => this.#failForMemory(error),
    );
    return false;
  }

  /** Memory is there: takes what has come meanwhile, and lets more come, unless that needs still more memory. */
  #resume(): void {
    const early = this.#early ?? [];
    this.#early = undefined;
    this.#options.onWait(false);
    for (const chunk of early) if (!this.#settled) this.#take(chunk);
    if (this.#settled || this.#early !== undefined) return;
    if (this.#ended) {
      this.#finish();
      return;
    }
    this.#decoder?.resume();
    this.#controller?.resume();
  }

  /** The body is there, all of it; perhaps not yet the memory for its end. */
  #end(): void {
    this.#ended = true;
    if (this.#early === undefined) this.#finish();
  }

  #finish(): void {
    this.#settle();
    const body = this.#body.join();
    this.#memory.end(body.bytes.length);
    if (this.#status !== 200) body.truncate(this.#options.maxErrorBytes);
    this.#resolve({ status: this.#status ?? 0, headers: this.#headers, body });
  }

  /** Nothing may happen after it: no timer runs, no further byte is read. */
  #settle(): void {
    this.#settled = true;
    if (this.#early !== undefined) this.#options.onWait(false);
    this.#early = undefined;
    clearTimeout(this.#headersTimer);
    this.#decoder?.destroy();
    this.#destroyConnection();
  }

  /** Closes the connection of an answer that has not ended. */
  #destroyConnection(): void {
    if (!this.#received) this.#controller?.abort(new ExchangeError('cancelled', this.#status));
  }
}
