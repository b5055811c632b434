import { readFileSync } from 'node:fs';
import type { Hazard } from './hazards.ts';
import { probe } from './probe.ts';
import { graphqlRequest } from './requests.ts';

/**
 * An operation that passes all limits, or nearly passes them, and causes as much work as possible. In its texts
 * `«10 a#: id»` repeats the text ten times, with `#` as the index. The same applies to entries of a list. A text may be JSON.
 */
interface WorstDocument {
  readonly name: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

const file = new URL('worst-documents.json', import.meta.url);
const documents: readonly WorstDocument[] = JSON.parse(readFileSync(file, 'utf8'));

/** The settings for download tickets. */
const ticketSettings = { DOWNLOAD_TICKET_SECRET: 'x'.repeat(32), PUBLIC_URL: 'http://localhost:4000' };

/** Measures the cost of each worst operation. */
export const worstDocuments: readonly Hazard[] = documents.map(({ name, query, variables }) => ({
  title: `worst document: ${name}`,
  env: ticketSettings,
  rounds: 3,
  figures: [
    { figure: 'CPU', limit: 'at most', must: 1, unit: ' s' },
    { figure: 'longest block', limit: 'at most', must: 50, unit: ' ms' },
  ],
  measure: async (subgraph) => {
    const expanded = { document: expandText(query), variables: expandVariables(variables) };
    const { response, blockMs, cpuSeconds } = await probe(subgraph, graphqlRequest(subgraph, expanded));
    const { status, bytes, start } = response;
    if (/"code":"GRAPHQL_(PARSE|VALIDATION)_FAILED"/.test(start) || status > 400) {
      throw new Error(`status ${status}: ${start.slice(0, 200)}`);
    }
    const [code = 'no error'] = /(?<="code":")[A-Z_]+/.exec(start) ?? [];
    return { measured: [cpuSeconds, blockMs], note: [`${(bytes / 1e6).toFixed(1)} MB, ${code}`] };
  },
}));

const repeated = /«(\d+) ([^»]*)»/;

function times(count: string, text: string): string[] {
  return Array.from({ length: Number(count) }, (_, index) => text.replaceAll('#', String(index)));
}

function expandText(text: string): string {
  return text.replaceAll(new RegExp(repeated, 'g'), (_, count, part) => times(count, part).join(' '));
}

function expandVariables(variables: WorstDocument['variables']): Record<string, unknown> {
  return Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, expandValue(value)]));
}

function expandValue(value: unknown): unknown {
  if (typeof value === 'string') {
    const text = expandText(value);
    return text.startsWith('{') ? JSON.parse(text) : text;
  }
  if (!Array.isArray(value)) return value;
  return value.flatMap((entry) => {
    const [, count, text] = repeated.exec(String(entry)) ?? [];
    if (count === undefined || text === undefined) return [entry];
    return times(count, text).map((one) => (one.startsWith('{') ? JSON.parse(one) : one));
  });
}
