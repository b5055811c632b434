import { Client, type Dispatcher } from 'undici';

/** What undici tells of a request, and one thing more. */
export interface ConnectionHandler extends Dispatcher.DispatchHandler {
  /** Whether the connection has brought an answer before; is asked when the request leaves. */
  isReused?: () => boolean;
}

/**
 * One connection to the service, and the next one when that is closed, which knows whether it was used before: undici does
 * not say on which socket a request leaves. With `pipelining: 1` there is one request at a time on it.
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
