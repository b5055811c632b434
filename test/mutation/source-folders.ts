/** The folders with the code of the server, which `npm run mutate` changes. */
export const sourceFolders = ['src', 'explorer/server', 'files'];
