import { spawnSync } from 'node:child_process';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { PROJECT, startProgram } from '../../test/support/process.ts';
import type { Manifest } from './manifests.ts';

/** The first major version with the field `patches` of today, that of kubectl 1.27. Debian's kubectl has an older one. */
const LEAST_KUSTOMIZE = 5;

/** The major version of kubectl's kustomize; 0 without kubectl. */
function kustomizeVersion(): number {
  const { stdout } = spawnSync('kubectl', ['version', '--client'], { encoding: 'utf8' });
  return Number(/Kustomize Version: v(\d+)/.exec(stdout ?? '')?.[1] ?? 0);
}

/** The objects that `kubectl apply -k` applies for a folder. */
export async function kustomize(folder: string): Promise<Manifest[]> {
  const { code, stdout, stderr } = await startProgram('kubectl', ['kustomize', folder], { cwd: PROJECT }).ended;
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

/** What kustomize needs and is not there; undefined if it is. */
export const kustomizeNeeds =
  kustomizeVersion() >= LEAST_KUSTOMIZE
    ? undefined
    : 'kubectl 1.27 or newer on the PATH: https://kubernetes.io/docs/tasks/tools/';
