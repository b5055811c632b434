import { readFileSync, statSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { type Dispatcher, EnvHttpProxyAgent, Pool } from 'undici';
import { ConfigError, errorCode } from '../../core/error-codes.ts';
import { isLoopback } from '../../core/loopback.ts';

/** How a service is reached, if not directly and with the authorities that Node.js trusts. */
export interface RouteOptions {
  /** URLs of the proxies for http and https, with their credentials, and the hosts that are reached without them. */
  readonly proxies: { readonly http: URL | undefined; readonly https: URL | undefined; readonly except: string };
  /** Paths of files in PEM: authorities, instead of those that Node.js trusts, and the certificate of this client with its key. */
  readonly files: {
    readonly ca: string | undefined;
    readonly cert: string | undefined;
    readonly key: string | undefined;
  };
}

/** Without a proxy, and with the authorities that Node.js trusts. */
export const DIRECT: RouteOptions = {
  proxies: { http: undefined, https: undefined, except: '' },
  files: { ca: undefined, cert: undefined, key: undefined },
};

/** After so many milliseconds it is checked again whether a file has changed. */
const CHECK_MS = 1000;

/** The proxies as undici takes them, which would otherwise read the environment. */
export function proxiesFor({ http, https, except }: RouteOptions['proxies']) {
  return { httpProxy: http?.href ?? '', httpsProxy: https?.href ?? '', noProxy: except };
}

/**
 * Opens connections to a service. One on this machine is reached without a proxy.
 *
 * @param opened gets the pool: with a proxy not before the first request, and again after all of its connections were closed
 * @throws ConfigError if a file cannot be used
 */
export function openDispatcher(
  origin: string,
  { connectTimeout = 10_000, ...options }: Pool.Options & { connectTimeout?: number },
  { proxies, files }: RouteOptions,
  opened: (pool: Pool) => void = () => {},
): Dispatcher {
  const open = (poolOrigin: string | URL, connect: NonNullable<Pool.Options['connect']>) => {
    const pool = new Pool(poolOrigin, { ...options, allowH2: false, connect });
    opened(pool);
    return pool;
  };
  const tls = { ...readFiles(files), timeout: connectTimeout, allowH2: false };
  const isProxied = (proxies.http ?? proxies.https) !== undefined && !isLoopback(new URL(origin).hostname);
  if (!isProxied) return open(origin, tls);
  return new EnvHttpProxyAgent({
    ...proxiesFor(proxies),
    requestTls: tls,
    connect: tls,
    connectTimeout,
    factory: (poolOrigin, made) => open(poolOrigin, (made as Required<Pool.Options>).connect),
  });
}

/** The connections to the REST service. New ones have the certificates that are in the files by then. */
export class ServicePool {
  readonly #open: () => Dispatcher;
  readonly #files: RouteOptions['files'];
  readonly #origin: string;
  #dispatcher: Dispatcher;
  #pool: Pool | undefined;
  #versions: string;
  #checked = performance.now();

  /** @throws ConfigError if a file cannot be used */
  constructor(origin: string, options: Pool.Options, route: RouteOptions) {
    this.#origin = origin;
    this.#files = route.files;
    this.#open = () =>
      openDispatcher(origin, options, route, (pool) => {
        this.#pool = pool;
      });
    this.#dispatcher = this.#open();
    this.#versions = versionsOf(this.#files);
  }

  /** Sends a request when there is a free connection. */
  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    if (this.#versions !== '' && performance.now() - this.#checked >= CHECK_MS) this.#renew();
    this.#dispatcher.dispatch({ ...request, origin: this.#origin }, handler);
  }

  /** Its connections and requests. */
  get stats(): Pick<Pool['stats'], 'free' | 'running' | 'pending' | 'queued'> {
    return this.#pool?.stats ?? { free: 0, running: 0, pending: 0, queued: 0 };
  }

  /** Waits for the running requests, then closes all connections. */
  close(): Promise<void> {
    return this.#dispatcher.close();
  }

  /** Opens new connections if a file has changed. While a file cannot be used, nothing changes. */
  #renew(): void {
    this.#checked = performance.now();
    try {
      const versions = versionsOf(this.#files);
      if (versions === this.#versions) return;
      const before = this.#dispatcher;
      this.#dispatcher = this.#open();
      this.#versions = versions;
      before.close().catch(() => {});
    } catch {
      // One of them is being replaced: a later request tries again.
    }
  }
}

/** The contents of the files. @throws ConfigError if they cannot be used */
function readFiles(files: RouteOptions['files']): Readonly<Record<string, Buffer>> {
  const given = Object.entries(files).filter(([, path]) => path !== undefined);
  if (given.length === 0) return {};
  if ((files.cert === undefined) !== (files.key === undefined)) {
    throw new ConfigError('UPSTREAM_CERTIFICATE_FILE and UPSTREAM_KEY_FILE must be set together.');
  }
  try {
    const contents = Object.fromEntries(given.map(([name, path]) => [name, readFileSync(path as string)]));
    createSecureContext(contents);
    return contents;
  } catch (error) {
    throw new ConfigError(
      `The files of UPSTREAM_CA_FILE, UPSTREAM_CERTIFICATE_FILE and UPSTREAM_KEY_FILE cannot be used (${errorCode(error)}).`,
    );
  }
}

/** Changes when a file does. Empty if there are none. */
function versionsOf(files: RouteOptions['files']): string {
  const stats = Object.values(files).flatMap((path) => (path === undefined ? [] : [statSync(path)]));
  return stats.map(({ mtimeMs, ino, size }) => `${mtimeMs} ${ino} ${size}`).join();
}
