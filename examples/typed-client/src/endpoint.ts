/** The URL of the subgraph or the router, and the token for each request. By default those of the demo. */
export const url = process.env.GRAPHQL_URL ?? 'http://127.0.0.1:4000/graphql';
export const headers = { authorization: `Bearer ${process.env.TOKEN ?? 'demo-token'}` };
