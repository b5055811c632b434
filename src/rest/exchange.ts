import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { connectionFailure } from './connection-failure.ts';
import { type Decoder, decoderOf } from './encodings.ts';
import type { RestFailure } from './errors.ts';
import { discard, free, giveBack, takeBuffer, takeRoom } from './memory.ts';

/** Up to this size a body mostly comes in one chunk, or is quickly joined; a larger one gets memory that is given back. */
const JOINED_BYTES = 1_048_576;

/** What a coding may add to bytes that it cannot make fewer: its own head, and a little for each block. */
const mostOnTheWire = (maxBytes: number): number => maxBytes + Math.floor(maxBytes / 256) + 1024;

/** How much of an answer is taken, and how long is waited for its head. */
export interface ExchangeLimits {
  /** Milliseconds from the request's leaving to the answer's head. */
  readonly headersTimeoutMs: number;
  /** The largest body of a 200, in decoded bytes; a larger one is refused, also one that has hardly more bytes encoded. */
  readonly maxBytes: number;
  /** How many decoded bytes of another body are read; the rest is not waited for. */
  readonly maxErrorBytes: number;
}

/** An answer of the REST service, its body decoded from its content coding. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Why there is no answer. `cause` is for the log only. */
export class ExchangeError extends Error {
  readonly failure: RestFailure;
  readonly status: number | null;
  /** Whether it was ended from this side, and so tells nothing of the service. */
  readonly isGivenUp: boolean;

  constructor(failure: RestFailure, status: number | null, { isGivenUp = false, cause }: ExchangeErrorDetails = {}) {
    super(failure, { cause });
    this.name = 'ExchangeError';
    this.failure = failure;
    this.status = status;
    this.isGivenUp = isGivenUp;
  }
}

interface ExchangeErrorDetails {
  isGivenUp?: boolean;
  cause?: unknown;
}

/**
 * One request and its answer, read whole. Made on undici's dispatch handlers and not on its streams, because those
 * say when the request leaves its queue (so that waiting for a socket does not count as a slow service) and hand over
 * each chunk without another copy.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** The answer; rejects with an ExchangeError. */
  readonly answer: Promise<HttpAnswer>;
  /** Body bytes received so far, before decoding. */
  bytesReceived = 0;

  readonly #limits: ExchangeLimits;
  readonly #chunks: Buffer[] = [];
  /** Where a large body goes as it comes: joining it afterwards would take long. */
  #whole: Buffer | undefined;
  #size = 0;
  #status: number | null = null;
  #headers: IncomingHttpHeaders = {};
  #controller: Dispatcher.DispatchController | undefined;
  #decoder: Decoder | undefined;
  #headersTimer: NodeJS.Timeout | undefined;
  #settled = false;
  /** Whether the answer has come to its end. */
  #received = false;
  readonly #resolve: (answer: HttpAnswer) => void;
  readonly #reject: (error: ExchangeError) => void;

  constructor(limits: ExchangeLimits) {
    this.#limits = limits;
    const { promise, resolve, reject } = Promise.withResolvers<HttpAnswer>();
    this.answer = promise;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /**
   * Ends the exchange at once, whether it is queued, sent or being answered; its connection is closed. Once the head
   * of an error answer is there its status says enough, whatever becomes of its body.
   */
  abort(failure: RestFailure): void {
    this.#fail(failure, { isGivenUp: true });
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#settled) {
      this.#breakOff();
      return;
    }
    this.#headersTimer = setTimeout(() => this.#fail('timeout'), this.#limits.headersTimeoutMs);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return;
    clearTimeout(this.#headersTimer);
    this.#status = status;
    this.#headers = headers;
    // A list where the header was sent several times, whatever its type says.
    const decoder = decoderOf(headers['content-encoding']);
    if (decoder === undefined) {
      this.#fail('invalidResponse');
    } else if (decoder !== null) {
      this.#decodeWith(decoder);
    } else if (status === 200) {
      const length = Number(headers['content-length']);
      if (length > this.#limits.maxBytes) this.#fail('responseTooLarge');
      else if (length > JOINED_BYTES) this.#whole = takeBuffer(length);
    }
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.bytesReceived += chunk.length;
    if (this.#settled) return;
    // A coding can take up bytes without end and give none.
    if (this.bytesReceived > mostOnTheWire(this.#limits.maxBytes)) this.#fail('responseTooLarge');
    else if (this.#decoder === undefined) this.#keep(chunk);
    else if (!this.#decoder.write(chunk)) controller.pause();
  }

  onResponseEnd(): void {
    this.#received = true;
    if (this.#settled) return;
    if (this.#decoder === undefined) this.#finish();
    else this.#decoder.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#fail(connectionFailure(error, this.#status !== null), { cause: error });
  }

  #fail(failure: RestFailure, details?: ExchangeErrorDetails): void {
    if (this.#settled) return;
    if (this.#status !== null && this.#status !== 200 && failure !== 'cancelled') {
      this.#finish();
      return;
    }
    this.#settle();
    if (this.#whole !== undefined) giveBack(this.#whole);
    this.#reject(new ExchangeError(failure, this.#status, details));
  }

  #decodeWith(decoder: Decoder): void {
    this.#decoder = decoder;
    decoder.on('data', (chunk: Buffer) => {
      if (!this.#settled) this.#keep(chunk);
    });
    decoder.on('drain', () => this.#controller?.resume());
    decoder.on('end', () => {
      if (!this.#settled) this.#finish();
    });
    decoder.on('error', (error) => this.#fail('invalidResponse', { cause: error }));
  }

  #keep(chunk: Buffer): void {
    const at = this.#size;
    this.#size += chunk.length;
    if (this.#size > JOINED_BYTES) this.#makeRoom(at);
    if (this.#whole === undefined) {
      this.#chunks.push(chunk);
    } else {
      this.#whole.set(chunk, at);
      // Into the last one undici may look again, for what follows the body.
      if (this.#size < this.#whole.length) discard(chunk);
    }
    if (this.#status === 200) {
      if (this.#size > this.#limits.maxBytes) this.#fail('responseTooLarge');
    } else if (this.#size >= this.#limits.maxErrorBytes) {
      this.#finish();
    }
  }

  /** Gets memory for all that has come by now, and for as much again where it is not known how much will come. */
  #makeRoom(used: number): void {
    const before = this.#whole;
    if (before !== undefined && this.#size <= before.length) return;
    this.#whole = takeRoom(Math.max(this.#size, Math.min(2 * this.#size, this.#limits.maxBytes)));
    let at = 0;
    for (const chunk of before === undefined ? this.#chunks : [before.subarray(0, used)]) {
      this.#whole.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks.length = 0;
    if (before !== undefined) free(before);
  }

  #finish(): void {
    this.#settle();
    const [only] = this.#chunks;
    let body = this.#whole?.subarray(0, this.#size);
    if (body === undefined) {
      body = this.#chunks.length === 1 && only !== undefined ? only : Buffer.concat(this.#chunks, this.#size);
    }
    if (this.#status !== 200) body = body.subarray(0, this.#limits.maxErrorBytes);
    this.#resolve({ status: this.#status ?? 0, headers: this.#headers, body });
  }

  /** Nothing may happen after it: no timer runs, no further byte is read. */
  #settle(): void {
    this.#settled = true;
    clearTimeout(this.#headersTimer);
    this.#decoder?.destroy();
    this.#breakOff();
  }

  /** Closes the connection of an answer that has not ended. */
  #breakOff(): void {
    if (!this.#received) this.#controller?.abort(new ExchangeError('cancelled', this.#status));
  }
}
