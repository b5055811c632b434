// In place of the package with which the compatibility tests make their requests: they ask for the router at a port that
// cannot be set.
/** @type {(url: string, init: RequestInit) => Promise<Response>} */
module.exports = (url, init) => fetch(url === 'http://localhost:4000/' ? `${process.env.ROUTER_URL}` : url, init);
