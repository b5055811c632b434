/**
 * The bounds: node bench/bounds.ts [--only TEXT]
 *
 * Sends operations and bodies that are as bad as the limits allow, and prints what each takes: the longest step of the main thread, by
 * its own CPU time, and the CPU time of the process (each the median of five), and the most resident memory, with a budget of 256 MiB.
 * The CPU time is bounded where all bodies together have 10 MB at most.
 * --only measures those with this text in their title. The exit code is 1 if a bound does not hold.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseArgs } from 'node:util';
import { request } from 'undici';
import { longestStep } from '../test/support/main-thread.ts';
import { inSmallChunks } from '../test/support/pieces.ts';
import { type BoundsCase, boundsCases } from './bounds-cases.ts';
import { type Contestant, startContestant } from './contestants.ts';
import { cpuSeconds, watchPeak } from './process-figures.ts';
import { median } from './statistics.ts';

const MAX_STEP_MS = 50;
/** For bodies of so many bytes together. */
const MAX_CPU_S = 3;
const MAX_BODY_BYTES = 10.5e6;
const MAX_RESIDENT_BYTES = 664e6;
const MEMORY_BUDGET = 2 ** 28;
const ATTEMPTS = 5;

/** What one operation has taken. */
interface Taken {
  readonly stepMs: number;
  readonly cpuS: number;
  readonly bytes: number;
  readonly start: string;
}

const { values: options } = parseArgs({ options: { only: { type: 'string' } } });
const chosen = boundsCases.filter(({ title }) => title.includes(options.only ?? ''));
let held = true;
console.log('| operation | longest step | CPU | resident | response |\n|---|---|---|---|---|');
for (const each of chosen) {
  const { stepMs, cpuS, resident, bytes, code, served } = await measure(each);
  const maxCpuS = served <= MAX_BODY_BYTES ? MAX_CPU_S : Number.POSITIVE_INFINITY;
  const isHeld = stepMs <= MAX_STEP_MS && cpuS <= maxCpuS && resident <= MAX_RESIDENT_BYTES;
  held &&= isHeld;
  const figures = [`${stepMs.toFixed(0)} ms`, `${cpuS.toFixed(2)} s`, `${(resident / 1e6).toFixed(0)} MB`];
  console.log(
    `| ${each.title} | ${figures.join(' | ')} | ${(bytes / 1e6).toFixed(1)} MB${code} |${isHeld ? '' : ' MISSED'}`,
  );
}
process.exit(held ? 0 : 1);

/** Measures one case on a subgraph of its own. */
async function measure({ body: makeBody, sent = 'with its length', query, variables }: BoundsCase) {
  const body = makeBody();
  let served = 0;
  const service = createServer((incoming, outgoing) => {
    incoming.resume();
    served += body.length;
    answer(outgoing, body, sent);
  });
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  const { port } = service.address() as AddressInfo;
  const subgraph = await startContestant('quiet', `http://127.0.0.1:${port}`, [], {
    MEMORY_BUDGET: String(MEMORY_BUDGET),
  });
  try {
    const peak = watchPeak(subgraph.pid);
    const all: Taken[] = [];
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1)
      all.push(await ask(subgraph, JSON.stringify({ query, variables })));
    const { bytes = 0, start = '' } = all.at(-1) ?? {};
    const [code] = /(?<="code":")[A-Z_]+|broken off/.exec(start) ?? [];
    return {
      stepMs: median(all.map(({ stepMs }) => stepMs)),
      cpuS: median(all.map(({ cpuS }) => cpuS)),
      resident: peak() ?? 0,
      bytes,
      served: served / ATTEMPTS,
      code: code === undefined ? '' : `, ${code}`,
    };
  } finally {
    await subgraph.stop();
    service.closeAllConnections();
    service.close();
  }
}

function answer(outgoing: ServerResponse, body: Buffer, sent: BoundsCase['sent']): void {
  const headers = { 'content-type': 'application/json' };
  if (sent === 'in chunks of a byte') {
    outgoing.socket?.end(inSmallChunks(body));
    return;
  }
  outgoing.writeHead(200, sent === 'with its length' ? { ...headers, 'content-length': body.length } : headers);
  outgoing.write(body);
  outgoing.end();
}

/** Sends an operation, while others ask for next to nothing. */
async function ask({ pid, url }: Contestant, operation: string): Promise<Taken> {
  const cpuBefore = cpuSeconds(pid) ?? 0;
  const headers = { 'content-type': 'application/json', authorization: 'Bearer token-of-the-benchmark' };
  const { answer, stepMs } = await longestStep({ pid, origin: new URL(url).origin }, async () => {
    const { body } = await request(url, { method: 'POST', headers, body: operation });
    let bytes = 0;
    let end = '';
    let start = '';
    try {
      for await (const chunk of body as AsyncIterable<Buffer>) {
        if (start.length < 4096) start += chunk.toString('utf8', 0, 4096);
        end = chunk.toString('utf8', Math.max(0, chunk.length - 4096));
        bytes += chunk.length;
      }
    } catch {
      // Ids alone have exceeded the work twice, when a part of them had left.
      end = '"code":"broken off"';
    }
    return { bytes, start: start + end };
  });
  return { ...answer, stepMs, cpuS: (cpuSeconds(pid) ?? 0) - cpuBefore };
}
