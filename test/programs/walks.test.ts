import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { ofDataset, queryAt, startService } from '../support/harness.ts';
import { endpointOf, PROJECT, startProgram } from '../support/process.ts';

/** How often each query is asked. Files whose functions run by a timer are among those of some of them. */
const TIMES = 6;

const page = readFileSync(`${PROJECT}docs/architecture.md`, 'utf8');
const walks = {
  'A metadata query, step by step': ofDataset('name assetCount'),
  'A results query, step by step': ofDataset(
    'results { series { nodes { asset { name } rows { valueDate metrics { name value } } } } }',
  ),
};

/** The section of the page under a heading. */
function sectionOf(heading: string): string {
  const [, section = ''] = page.split(`\n## ${heading}\n`);
  return section.split('\n## ')[0] ?? '';
}

/** The sources that a section links, in their order. */
function filesIn(heading: string): string[] {
  return [...sectionOf(heading).matchAll(/\]\(\.\.\/((?:src|engine)\/[^)#]+\.ts)\)/g)].map(([, file = '']) => file);
}

/** The sources of the sections before: a walk has only those that it adds. */
function filesBefore(heading: string): string[] {
  const headings = Object.keys(walks);
  return headings.slice(0, headings.indexOf(heading)).flatMap(filesIn);
}

describe('docs/architecture.md walks through the code', () => {
  it.each(Object.entries(walks))('%s: through each file whose functions run, and no other', async (heading, query) => {
    const { url } = await startService();
    const coverage = `${PROJECT}test/support/function-coverage.ts`;
    const program = startProgram(process.execPath, ['--import', coverage, `${PROJECT}src/main.ts`], {
      env: { DATASET_SERVICE_URL: url, PORT: '0', LOG_LEVEL: 'warn' },
    });
    const endpoint = await endpointOf(program);
    let taken = 0;
    const take = async (): Promise<string[]> => {
      taken += 1;
      program.kill('SIGUSR2');
      const [, files = '[]'] = await program.printed(new RegExp(`^ran ${taken}: (.*)\\n`, 'm'));
      return JSON.parse(files) as string[];
    };
    // The first ones compile.
    for (let time = 0; time < 2; time += 1) await queryAt(endpoint, query);
    const ran: Set<string>[] = [];
    for (let time = 0; time < TIMES; time += 1) {
      await take();
      const { body } = await queryAt(endpoint, query);
      expect(body).not.toHaveProperty('errors');
      // The end of its request runs when the client has got the response.
      const found = new Set<string>();
      await eventually(async () => {
        for (const file of await take()) found.add(file);
        expect([...found]).toContain('src/server/requests/operations.ts');
      });
      ran.push(found);
    }
    const always = [...(ran[0] ?? [])].filter((file) => ran.every((files) => files.has(file)));
    const ever = new Set(ran.flatMap((files) => [...files]));
    const named = filesIn(heading);
    const all = [...filesBefore(heading), ...named];
    expect(always.filter((file) => !all.includes(file)).toSorted()).toEqual([]);
    expect(named.filter((file) => !ever.has(file)).toSorted()).toEqual([]);
    expect(all.toSorted()).toEqual([...new Set(all)].toSorted());
  });
});
