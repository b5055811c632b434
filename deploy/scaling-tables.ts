import { readConfig } from '../src/config.ts';

/** A kind of work of the benchmark, or a mixture of several. */
interface Work {
  readonly title: string;
  /** CPU time of one response, in milliseconds. */
  readonly cpuMs: number;
  readonly restCalls: number;
  /** The size of the REST responses for one response. */
  readonly megabytes: number;
}

/** The target utilization of the HorizontalPodAutoscaler. */
const UTILIZATION = 0.6;
/** The default maximum size of a REST response. */
const MAX_MEGABYTES = readConfig({}).UPSTREAM_MAX_BYTES / 1e6;

/** The kinds of work in the tables, with the size of their REST responses. */
const measured: readonly { title: string; megabytes: number }[] = [
  { title: 'metadata', megabytes: 0.001 },
  { title: '10x10x3 and metadata', megabytes: 0.022 },
  { title: '200x50x5', megabytes: 2.74 },
  { title: '1000x365x3', megabytes: 68.3 },
];

/** Mostly metadata, some pages, a few reports. */
export const mixture: readonly { title: string; share: number }[] = [
  { title: 'metadata', share: 0.8 },
  { title: '10x10x3 and metadata', share: 0.19 },
  { title: '200x50x5', share: 0.01 },
];

/** The mixture in words. */
export const mixtureShares = mixture.map(({ title, share }) => `${Math.round(share * 100)} % ${title}`).join(', ');

/** What is before and after the generated part of the page. */
const START = '<!-- figures: npm run scaling -->\n';
const END = '<!-- end of figures -->\n';

/** The page with a table computed from the results of the benchmark. */
export function withTables(page: string, results: string): string {
  const [before, rest, ...others] = page.split(START);
  const [, after] = (rest ?? '').split(END);
  if (before === undefined || after === undefined || others.length > 0)
    throw new Error('The page lacks the markers of its table.');
  return `${before}${START}${tables(results)}${END}${after}`;
}

function tables(results: string): string {
  const works = measured.map((work) => ({
    ...work,
    cpuMs: figure(work.title, 'CPU ms/response', results),
    restCalls: figure(work.title, 'REST calls', results),
  }));
  const part = (read: (work: Work) => number) =>
    mixture.reduce((sum, { title, share }) => sum + share * read(find(works, title)), 0);
  const mixed: Work = {
    title: `mixture: ${mixtureShares}`,
    cpuMs: part(({ cpuMs }) => cpuMs),
    restCalls: part(({ restCalls }) => restCalls),
    megabytes: part(({ megabytes }) => megabytes),
  };
  const all = [...works, mixed];
  const rows = all.map(({ title, cpuMs, restCalls, megabytes }) => [
    title,
    `${number(cpuMs)} ms`,
    number((1000 / cpuMs) * UTILIZATION),
    number(restCalls),
    size(megabytes),
  ]);
  return `
${table(['work', 'CPU per response', 'responses/s per replica', 'REST calls', 'REST bytes'], rows)}

${largeResponse(results)}

`;
}

/** The memory of one large response. */
function largeResponse(results: string): string {
  const { title, megabytes } = measured.at(-1) ?? { title: '', megabytes: 0 };
  const peak = figure(title, 'peak MB above idle', results);
  const multiple = peak / megabytes;
  return [
    `The peak of a response to ${title} is ${number(peak)} MB above the idle process: ${number(multiple)} times its REST body of`,
    `${size(megabytes)}. A body of \`UPSTREAM_MAX_BYTES\` (${size(MAX_MEGABYTES)}) takes the same multiple, ${size(multiple * MAX_MEGABYTES)}.`,
  ].join('\n');
}

/** A figure of this subgraph from the table of results. */
function figure(title: string, column: string, results: string): number {
  const rows = cellsOf(results);
  const header = rows.find((cells) => cells.includes(column)) ?? [];
  const row = rows.find(
    (cells) => cells[header.indexOf('work')] === title && cells[header.indexOf('contestant')] === 'this subgraph',
  );
  const value = Number(row?.[header.indexOf(column)]);
  if (!(value > 0)) throw new Error(`The results have no "${column}" for "${title}".`);
  return value;
}

/** The cells of each line; one if it is not of a table. */
function cellsOf(text: string): string[][] {
  return text.split('\n').map((line) =>
    line
      .replace(/^\||\|$/g, '')
      .split('|')
      .map((cell) => cell.trim()),
  );
}

function find(works: readonly Work[], title: string): Work {
  const work = works.find((one) => one.title === title);
  if (work === undefined) throw new Error(`There is no work "${title}".`);
  return work;
}

/** A number rounded to its precision. */
function number(value: number): string {
  const rounded = value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
  return rounded.toLocaleString('en');
}

function size(megabytes: number): string {
  if (megabytes >= 1000) return `${number(megabytes / 1000)} GB`;
  return megabytes >= 1 ? `${number(megabytes)} MB` : `${number(megabytes * 1000)} kB`;
}

function table(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(header), `|${header.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
