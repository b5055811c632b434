import { readConfig } from '../src/config.ts';

/** A kind of work of the benchmark, or a mixture of several. */
interface Work {
  readonly title: string;
  /** CPU of one answer, in milliseconds. */
  readonly cpuMs: number;
  readonly restCalls: number;
  /** What REST sends for one answer. */
  readonly megabytes: number;
}

/** How much of a core is used on average: what the HorizontalPodAutoscaler keeps to. */
const UTILIZATION = 0.6;
/** The fewest replicas: one may leave at any time. */
const FEWEST = 2;
/** How long the REST service is taken to need for an answer, in seconds; nothing is known of it. */
const REST_SECONDS = 0.2;
/** The largest REST answer that is accepted, unless set otherwise. */
const MAX_MEGABYTES = readConfig({}).UPSTREAM_MAX_BYTES / 1e6;
const RATES = [10, 1000, 100_000];

/** The benchmark's kinds of work that are reckoned with, and the size of their REST answers in megabytes. */
const measured: readonly { title: string; megabytes: number }[] = [
  { title: 'metadata', megabytes: 0.001 },
  { title: '10x10x3 and metadata', megabytes: 0.022 },
  { title: '200x50x5', megabytes: 2.74 },
  { title: '1000x365x3', megabytes: 68.3 },
];

/** Much metadata, some pages, a few reports. */
const mixture: readonly { title: string; share: number }[] = [
  { title: 'metadata', share: 0.8 },
  { title: '10x10x3 and metadata', share: 0.19 },
  { title: '200x50x5', share: 0.01 },
];

const START = '<!-- figures: npm run scaling -->\n';
const END = '<!-- end of figures -->\n';

/** The page with its tables made anew from the results of the benchmark. */
export function withTables(page: string, results: string): string {
  const [before, rest, ...others] = page.split(START);
  const [, after] = (rest ?? '').split(END);
  if (before === undefined || after === undefined || others.length > 0) throw new Error('The page has lost its marks.');
  return `${before}${START}${tables(results)}${END}${after}`;
}

function tables(results: string): string {
  const [, origin = ''] = /^(Made by `npm run bench` on .*?)\.?$/m.exec(results) ?? [];
  const works = measured.map((work) => ({
    ...work,
    cpuMs: figure(work.title, 'CPU ms/answer', results),
    restCalls: figure(work.title, 'REST calls', results),
  }));
  const part = (read: (work: Work) => number) =>
    mixture.reduce((sum, { title, share }) => sum + share * read(find(works, title)), 0);
  const mixed: Work = {
    title: `mixture: ${mixture.map(({ title, share }) => `${Math.round(share * 100)} % ${title}`).join(', ')}`,
    cpuMs: part(({ cpuMs }) => cpuMs),
    restCalls: part(({ restCalls }) => restCalls),
    megabytes: part(({ megabytes }) => megabytes),
  };
  const all = [...works, mixed];
  const replica = table(
    ['work', 'CPU per response', 'responses/s per replica', 'REST calls', 'REST bytes'],
    all.map(({ title, cpuMs, restCalls, megabytes }) => [
      title,
      `${number(cpuMs)} ms`,
      number((1000 / cpuMs) * UTILIZATION),
      number(restCalls),
      size(megabytes),
    ]),
  );
  const fleet = table(
    ['work', 'operations/s', 'cores', 'replicas', 'REST calls/s', 'REST bytes/s', 'sockets in use per replica'],
    all.flatMap((work) => RATES.map((rate) => fleetRow(work, rate))),
  );
  return `
${origin}.

${replica}

${fleet}

${largeResponse(results)}

`;
}

/** What one large answer takes: its memory, and the time of others. */
function largeResponse(results: string): string {
  const { title, megabytes } = measured.at(-1) ?? { title: '', megabytes: 0 };
  const peak = figure(title, 'peak MB above idle', results);
  const p99 = figure(`metadata while ${title} is in flight`, 'p99 ms', results);
  const multiple = peak / megabytes;
  return [
    `The peak of a response to ${title} is ${number(peak)} MB above the idle process: ${number(multiple)} times its REST body of`,
    `${size(megabytes)}. A body of \`UPSTREAM_MAX_BYTES\` (${size(MAX_MEGABYTES)}) takes the same multiple, ${size(multiple * MAX_MEGABYTES)}.`,
    `Metadata has a p99 of ${number(p99)} ms while responses to ${title} are made one after another.`,
  ].join('\n');
}

function fleetRow({ title, cpuMs, restCalls, megabytes }: Work, rate: number): string[] {
  const cores = (rate * cpuMs) / 1000;
  const replicas = Math.max(FEWEST, Math.ceil(cores / UTILIZATION));
  const calls = rate * restCalls;
  return [
    title,
    number(rate),
    number(cores),
    number(replicas),
    number(calls),
    size(rate * megabytes),
    number(Math.ceil((calls * REST_SECONDS) / replicas)),
  ];
}

/** What this subgraph was measured at, from the table of results. */
function figure(title: string, column: string, results: string): number {
  const rows = results.split('\n').map((line) => line.split('|').map((cell) => cell.trim()));
  const head = rows.find((cells) => cells.includes(column)) ?? [];
  const row = rows.find(
    (cells) => cells[head.indexOf('work')] === title && cells[head.indexOf('who')] === 'this subgraph',
  );
  const value = Number(row?.[head.indexOf(column)]);
  if (!(value > 0)) throw new Error(`The results have no "${column}" for "${title}".`);
  return value;
}

function find(works: readonly Work[], title: string): Work {
  const work = works.find((one) => one.title === title);
  if (work === undefined) throw new Error(`Nothing is known of "${title}".`);
  return work;
}

/** A number that need not be more exact than it can be. */
function number(value: number): string {
  const rounded = value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
  return rounded.toLocaleString('en');
}

function size(megabytes: number): string {
  if (megabytes >= 1000) return `${number(megabytes / 1000)} GB`;
  return megabytes >= 1 ? `${number(megabytes)} MB` : `${number(megabytes * 1000)} kB`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}
