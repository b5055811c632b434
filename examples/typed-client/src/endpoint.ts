/** Where the subgraph or the router is, and whose token goes with each request. By default: the demo, and its token. */
export const url = process.env.GRAPHQL_URL ?? 'http://127.0.0.1:4000/graphql';
export const headers = { authorization: `Bearer ${process.env.TOKEN ?? 'demo-token'}` };
