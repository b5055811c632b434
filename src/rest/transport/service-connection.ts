import { Client, type Dispatcher } from 'undici';

/** A dispatch handler that can ask whether its connection is reused. */
export interface ConnectionHandler extends Dispatcher.DispatchHandler {
  /** Whether the connection was used before. Call it when the request is sent. */
  isReused?: () => boolean;
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
    handler.isReused = () => {
      const isReused = this.#isReused;
      this.#isReused = true;
      return isReused;
    };
    return super.dispatch(options, handler);
  }
}
