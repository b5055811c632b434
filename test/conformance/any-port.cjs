// Makes a server with a fixed port on all interfaces listen on a free port of the loopback host instead.
const { Server } = require('node:net');

const { listen } = Server.prototype;

/** @this {import('node:net').Server} */
Server.prototype.listen = function listenOnLoopback(_where, ...others) {
  return Reflect.apply(listen, this, [{ host: '127.0.0.1', port: 0 }, ...others]);
};
