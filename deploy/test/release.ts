/** The environment in which tests run deploy/release.sh: as if the project were in this repository. */
export const RELEASE_ENV = { GITHUB_REPOSITORY: 'Example/dataset-subgraph', npm_config_prefer_offline: 'true' };

/** What tests read of an SBOM. */
export interface Sbom {
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly hashes?: readonly object[];
  }[];
}

/** The packages in an SBOM, with their versions, each once. */
export function namesIn({ components }: Sbom): string[] {
  return [...new Set(components.map(({ name, version }) => `${name}@${version}`))].toSorted();
}
