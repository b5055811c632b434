import { globSync } from 'node:fs';
import { PROJECT } from '../../test/support/process.ts';
import { readAllYaml } from './files.ts';

/** The members that every Kubernetes object has. */
export interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; namespace?: string; labels?: Record<string, string> };
  // biome-ignore lint/suspicious/noExplicitAny: the schemas define its shape
  spec: any;
}

/** The files that `kubectl apply -k deploy/kubernetes` applies. */
export const manifestFiles = globSync('deploy/kubernetes/*.yaml', {
  cwd: PROJECT,
  exclude: ['deploy/kubernetes/kustomization.yaml'],
});

/** Their objects. */
export const manifests = manifestFiles.flatMap((file) => readAllYaml(file) as Manifest[]);

/** The only object of a kind. */
export function only(kind: string, among: readonly Manifest[] = manifests): Manifest {
  const found = among.filter((manifest) => manifest.kind === kind);
  const [manifest] = found;
  if (manifest === undefined || found.length > 1) throw new Error(`There are ${found.length} objects of ${kind}.`);
  return manifest;
}
