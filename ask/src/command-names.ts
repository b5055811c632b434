/** npm tells a script its name: in a checkout there is no `dataset-subgraph`. */
const isCheckout = process.env.npm_lifecycle_event === 'ask';

/** How the user runs these commands. */
export const ASK = isCheckout ? 'npm run --silent ask --' : 'dataset-subgraph ask';
export const LOGIN = isCheckout ? 'npm run --silent login' : 'dataset-subgraph login';
export const HELP = isCheckout ? 'npm run --silent ask -- --help' : 'dataset-subgraph help';
