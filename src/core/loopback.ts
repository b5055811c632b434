const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Whether a host is this machine. @param hostname that of a URL */
export function isLoopback(hostname: string): boolean {
  return loopback.test(hostname);
}
