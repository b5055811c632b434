// Loaded into the subgraph's process by those tests of the soak that it must fail: lets go of nothing that a request has
// brought. SOAK_LEAK says what is leaked; `rejection` leaves one promise's rejection to nobody.
const { createSecretKey } = require('node:crypto');
const http = require('node:http');
const net = require('node:net');

/** @type {unknown[]} */
const kept = [];
let requests = 0;

const elsewhere = new URL(process.env.DATASET_SERVICE_URL ?? '');

/** @type {Record<string, () => void>} */
const leaks = {
  heap: () => kept.push(Array.from({ length: 250 }, (_, index) => ({ index }))),
  external: () => kept.push(Buffer.allocUnsafeSlow(8192).fill(1)),
  // Of the copy that a key has of its bytes, the engine knows nothing.
  resident: () => kept.push(createSecretKey(Buffer.alloc(2 ** 18, 1))),
  timers: () => setTimeout(() => {}, 2 ** 30).unref(),
  rejection: () => {
    if (requests === 500) void Promise.reject(new Error('left to nobody'));
  },
  sockets: () => {
    if (requests % 50 === 0) kept.push(net.connect(Number(elsewhere.port), elsewhere.hostname).on('error', () => {}));
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
