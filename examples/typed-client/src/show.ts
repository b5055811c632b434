import type { ResultOf } from '@graphql-typed-document-node/core';
import type { weather } from './weather.ts';

/** What the clients tell of an error, each by a type of its own. */
interface Failure {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  readonly extensions?: { readonly code?: unknown } | undefined;
}

/** Prints the data that came, and then the errors: a field that failed is null, and the rest of the answer is there. */
export function show(data: ResultOf<typeof weather> | null | undefined, errors: readonly Failure[] = []): void {
  for (const dataset of data?.datasets ?? []) {
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
