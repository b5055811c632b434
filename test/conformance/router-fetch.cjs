// Replaces the HTTP package of the compatibility tests, which use a fixed port of the router.
/** @type {(url: string, init: RequestInit) => Promise<Response>} */
module.exports = (url, init) => fetch(url === 'http://localhost:4000/' ? `${process.env.ROUTER_URL}` : url, init);
