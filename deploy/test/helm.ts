import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { PROJECT, startProgram } from '../../test/support/process.ts';
import { type Manifest, only } from './manifests.ts';

const HELM = `${PROJECT}deploy/test/node_modules/.bin/helm`;

/** Sets what the chart needs. */
export const url = ['--set', 'settings.DATASET_SERVICE_URL=https://api.example.com'];

/** What helm prints for the chart. */
export function helm(command: string, ...args: string[]) {
  return startProgram(HELM, [command, ...args], { cwd: PROJECT }).ended;
}

/** The objects that the chart makes with these options. */
export async function template(...args: string[]): Promise<Manifest[]> {
  const where = ['dataset-subgraph', 'deploy/chart', '--namespace', 'default', '--kube-version', '1.30'];
  const { code, stdout, stderr } = await helm('template', ...where, ...args);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return parseAllDocuments(stdout).map((document) => document.toJS());
}

/** What helm says of options that the chart does not take. */
export async function refusal(...args: string[]): Promise<string> {
  const { code, stderr } = await helm('template', 'a', 'deploy/chart', ...args);
  expect([args, code]).toEqual([args, 1]);
  return stderr;
}

/** Labels that only objects of a chart have. */
const ofChart = [
  'app.kubernetes.io/instance',
  'app.kubernetes.io/version',
  'app.kubernetes.io/managed-by',
  'helm.sh/chart',
];

/** Objects without the labels of the chart, wherever they are. */
export function withoutItsLabels<T>(objects: T): T {
  return JSON.parse(JSON.stringify(objects, (key, value) => (ofChart.includes(key) ? undefined : value)));
}

/** A variable of a container's environment. */
export interface Variable {
  readonly name: string;
  readonly value?: string;
  readonly valueFrom?: object;
}

/** The variables of the container's environment. */
export function envOf(all: readonly Manifest[]): Variable[] {
  return only('Deployment', all).spec.template.spec.containers[0].env;
}
