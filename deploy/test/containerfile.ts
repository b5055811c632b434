import { read } from './files.ts';

/** An instruction of the Containerfile: its name, and its arguments with continuation lines joined. */
export interface Instruction {
  readonly name: string;
  readonly rest: string;
}

/** The instructions of the Containerfile, stage by stage; each stage starts with its FROM. */
export function containerStages(): Instruction[][] {
  const lines = read('deploy/Containerfile')
    .replaceAll(/^#.*\n/gm, '')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages: Instruction[][] = [];
  for (const line of lines) {
    const [, name = '', rest = ''] = /^([A-Z]+) +(.*)$/.exec(line) ?? [];
    if (name === '') throw new Error(`This line of the Containerfile is not an instruction: ${line}`);
    if (name === 'FROM') stages.push([]);
    stages.at(-1)?.push({ name, rest });
  }
  return stages;
}

/** The arguments of all instructions with a name in a stage. */
export function inStage(stage: readonly Instruction[], name: string): string[] {
  return stage.filter((instruction) => instruction.name === name).map(({ rest }) => rest);
}

/** The environment that the image sets. */
export function containerEnv(): Record<string, string> {
  const pairs = inStage(containerStages().at(-1) ?? [], 'ENV').flatMap((rest) => rest.split(/ +/));
  return Object.fromEntries(pairs.map((pair) => pair.split('=') as [string, string]));
}
