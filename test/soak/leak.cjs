// Makes the subgraph leak at each request, for tests in which the soak must fail. SOAK_LEAK sets the kind of leak;
// `rejection` causes one unhandled rejection.
const { createSecretKey } = require('node:crypto');
const http = require('node:http');
const net = require('node:net');

/** @type {unknown[]} */
const kept = [];
let requests = 0;

const service = new URL(process.env.DATASET_SERVICE_URL ?? '');

/** @type {Record<string, () => void>} */
const leaks = {
  heap: () => kept.push(Array.from({ length: 250 }, (_, index) => ({ index }))),
  external: () => kept.push(Buffer.allocUnsafeSlow(8192).fill(1)),
  // A key copies its bytes outside of the memory that the engine counts.
  resident: () => kept.push(createSecretKey(Buffer.alloc(2 ** 19, 1))),
  timers: () => setTimeout(() => {}, 2 ** 30).unref(),
  rejection: () => {
    if (requests === 500) void Promise.reject(new Error('unhandled on purpose'));
  },
  sockets: () => {
    if (requests % 50 === 0) kept.push(net.connect(Number(service.port), service.hostname).on('error', () => {}));
  },
};
const leak = leaks[process.env.SOAK_LEAK ?? ''];

http.Server.prototype.emit = new Proxy(http.Server.prototype.emit, {
  apply: (emit, server, given) => {
    if (given[0] === 'request') {
      requests += 1;
      leak?.();
    }
    return Reflect.apply(emit, server, given);
  },
});
