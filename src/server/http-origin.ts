import type { AddressInfo } from 'node:net';

/** The origin of a listening address, as in a URL. */
export function httpOrigin({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}
