import { Client, type Dispatcher } from 'undici';

/** A dispatch handler that can ask its connection whether it is reused. */
export interface ConnectionHandler extends Dispatcher.DispatchHandler {
  connection?: ServiceConnection;
}

/**
 * A client with one connection at a time that knows whether the connection was used before, which undici does not report.
 * With `pipelining: 1` it carries one request at a time.
 */
export class ServiceConnection extends Client {
  #isReused = false;

  constructor(...options: ConstructorParameters<typeof Client>) {
    super(...options);
    this.on('connect', () => {
      this.#isReused = false;
    });
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: ConnectionHandler): boolean {
    handler.connection = this;
    return super.dispatch(options, handler);
  }

  /** A request is sent. Returns whether one was sent on the connection before. */
  markUsed(): boolean {
    const isReused = this.#isReused;
    this.#isReused = true;
    return isReused;
  }
}
