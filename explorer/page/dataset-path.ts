const PREFIX = '/datasets/';

/** The path of the page of a dataset. */
export function datasetPath(id: string): string {
  return `${PREFIX}${encodeURIComponent(id)}`;
}

/** The dataset of a path; undefined for the path of another page. */
export function datasetIdOf(path: string): string | undefined {
  // The server has decoded it, too, so it is encoded well.
  return path.startsWith(PREFIX) ? decodeURIComponent(path.slice(PREFIX.length)) : undefined;
}
