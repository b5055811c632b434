import type { SeveralDatasetsQuery } from './generated/graphql.ts';

/** The members of an error that all clients have. */
interface Failure {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: { readonly code?: unknown } | undefined;
}

/** Prints the data, and then the errors. A failed field is null in the data. */
export function show(data: SeveralDatasetsQuery | null | undefined, errors: readonly Failure[] = []): void {
  for (const dataset of data?.datasetsByIds ?? []) {
    if (dataset === null) continue;
    console.log(`${dataset.name}, since ${dataset.startDateTime}`);
    for (const { asset, version, columns } of dataset.results?.series?.nodes ?? []) {
      for (const { name, values } of columns?.metrics ?? []) {
        console.log(`  ${asset.name} (version ${version}), ${name}: ${values.join(' ')}`);
      }
    }
  }
  for (const { message, path, extensions } of errors) {
    console.log(`${extensions?.code} at ${path?.join('.')}: ${message}`);
  }
}
