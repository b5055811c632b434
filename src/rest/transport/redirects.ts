import { lookup } from 'node:dns';
import { BlockList, type LookupFunction } from 'node:net';
import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import { proxiesFor, type RouteOptions } from './service-pool.ts';

/** The most redirects of a file. */
export const MAX_REDIRECTS = 3;

/** Redirects to another URL of the same file (RFC 9110, section 15.4). */
const statuses: ReadonlySet<number | null> = new Set([301, 302, 303, 307, 308]);

/** Addresses that are not on the internet (the special-purpose registries of IANA; RFC 6890). */
const notPublic = new BlockList();
for (const [network, prefix] of [
  ...[
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ],
  ...[
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ],
] as const) {
  notPublic.addSubnet(network, prefix, 'ipv4');
}
for (const [network, prefix] of [
  ['::', 3],
  ['64:ff9b::', 96],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  notPublic.addSubnet(network, prefix, 'ipv6');
}

/** Connections to the hosts to which the service may redirect the download of a file. They never get the client's token. */
export class Redirects {
  readonly #hosts: readonly string[];
  readonly #dispatcher: Dispatcher;

  /** @param hosts names in small letters; `*.example.com` is any name below example.com */
  constructor(hosts: readonly string[], connectTimeout: number, proxies: RouteOptions['proxies']) {
    this.#hosts = hosts;
    this.#dispatcher = new EnvHttpProxyAgent({
      ...proxiesFor(proxies),
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { lookup: publicOnly, timeout: connectTimeout, allowH2: false },
      requestTls: { timeout: connectTimeout, allowH2: false },
    });
  }

  /** Where a response redirects to. Undefined if it does not, or may not: to a host that is not allowed, or without TLS. */
  targetOf(status: number | null, location: unknown, from: URL): URL | undefined {
    if (!statuses.has(status) || typeof location !== 'string') return undefined;
    const target = URL.parse(location, from.href);
    if (target === null || target.protocol !== 'https:' || target.username !== '' || target.password !== '')
      return undefined;
    const isAllowed = this.#hosts.some((host) =>
      host.startsWith('*.') ? target.hostname.endsWith(host.slice(1)) : target.hostname === host,
    );
    return isAllowed ? target : undefined;
  }

  dispatch(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#dispatcher.dispatch(request, handler);
  }

  close(): Promise<void> {
    return this.#dispatcher.close();
  }
}

/** Looks up a host, and fails if one of its addresses is not on the internet. Behind a proxy, the proxy looks it up. */
const publicOnly: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, found) => {
    if (error !== null) return callback(error, '');
    const isPrivate = found.some(({ address, family }) => notPublic.check(address, family === 6 ? 'ipv6' : 'ipv4'));
    const [first] = found;
    if (isPrivate || first === undefined) {
      return callback(Object.assign(new Error('The address is not public.'), { code: 'EACCES' }), '');
    }
    if (options.all === true) return callback(null, found);
    return callback(null, first.address, first.family);
  });
};
