// Loaded before a server that chooses its own port and listens everywhere: it listens on a free port of loopback instead.
const { Server } = require('node:net');

const { listen } = Server.prototype;

/** @this {import('node:net').Server} */
Server.prototype.listen = function listenOnLoopback(_where, ...others) {
  return Reflect.apply(listen, this, [{ host: '127.0.0.1', port: 0 }, ...others]);
};
