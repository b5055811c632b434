import { read } from './files.ts';

/** An instruction of the Containerfile: its name, and what follows on its line and on those that continue it. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The instructions of the Containerfile, stage by stage; each stage begins with its FROM. */
export function containerStages(): Instruction[][] {
  const lines = read('deploy/Containerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`The Containerfile has a line that is no instruction: ${line}`);
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest });
  }
  return stages;
}

/** What the instructions of a name say in a stage. */
export function inStage(stage: readonly Instruction[], name: string): string[] {
  return stage.filter((instruction) => instruction.name === name).map(({ rest }) => rest);
}

/** The environment that the image sets. */
export function containerEnv(): Record<string, string> {
  const pairs = inStage(containerStages().at(-1) ?? [], 'ENV').flatMap((rest) => rest.split(/ +/));
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}
