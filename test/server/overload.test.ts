import { Agent, request as httpRequest } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Answer, DATASET_ID, dataset, gate, start, TOKEN } from '../support/harness.ts';
import { errorOf, open } from '../support/overload.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The bytes of the heap that are in use, garbage aside. */
function heapUsed(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

const NAME = `{ dataset(id: "${DATASET_ID}") { name } }`;
const nameData = { data: { dataset: { name: dataset.metadata.name } } };
const json = { 'content-type': 'application/json' };

function expectOverloaded(answer: Answer, message: string): void {
  expect(answer.body).toEqual({ errors: [{ message, extensions: { code: 'OVERLOADED' } }] });
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toBe('1');
  expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
}

/*
 * Clause 3.28 of docs/contract.md in detail.
 * Overload. While `MAX_OPERATIONS` run, a further request gets 503 with `OVERLOADED` and `Retry-After`, before its body
 * is read. A request counts as an operation only when its body has arrived. Pipelined requests of one connection begin
 * one after another, each in its own turn of the event loop. A body of 64 kB (65,536 bytes) or more is parsed in one
 * turn and processed in another.
 */
describe('3.28 MAX_OPERATIONS', () => {
  const message = 'The subgraph is at its limit of 2 concurrent operations (MAX_OPERATIONS).';

  /** A subgraph whose operations wait until they are let go. */
  async function startHeld(env: Record<string, string>) {
    const bed = await start({ env });
    const held = gate();
    bed.simulator.intercept(() => held.opened.then(() => undefined));
    const running = (count: number) => eventually(() => expect(bed.calls()).toHaveLength(count));
    return { ...bed, running, release: held.open };
  }

  it('operations run at the same time, and no more; whoever is refused makes no call, and may come again', async () => {
    const { query, http, calls, running, release } = await startHeld({ MAX_OPERATIONS: '2' });
    const accepted = [query(NAME), query(NAME)];
    await running(2);
    expectOverloaded(await query(NAME), message);
    expectOverloaded(await http('/graphql'), message);
    expect(calls()).toHaveLength(2);
    release();
    for (const answer of await Promise.all(accepted)) expect(answer.body).toEqual(nameData);
    await eventually(async () => expect((await query(NAME)).body).toEqual(nameData));
  });

  it('are refused before their body has come', async () => {
    const bed = await startHeld({ MAX_OPERATIONS: '1' });
    const accepted = bed.query(NAME);
    await bed.running(1);
    const head = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n';
    const { received } = await open(bed, head);
    await eventually(() => expect(received()).toContain('OVERLOADED'));
    bed.release();
    await accepted;
  });

  it('a request whose body comes slowly takes no place', async () => {
    const bed = await start({ env: { MAX_OPERATIONS: '1' } });
    for (let index = 0; index < 20; index++) {
      await open(
        bed,
        'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{',
      );
    }
    expect((await bed.query(NAME)).body).toEqual(nameData);
  });

  it('one that has sent its headers in time is refused when its body is there too late', async () => {
    const bed = await startHeld({ MAX_OPERATIONS: '1' });
    const body = JSON.stringify({ query: NAME });
    const head = `POST /graphql HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${TOKEN}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`;
    const late = await open(bed, `${head}{`);
    const accepted = bed.query(NAME);
    await bed.running(1);
    late.socket.write(body.slice(1));
    await eventually(() => expect(late.received()).toContain('OVERLOADED'));
    expect(bed.calls()).toHaveLength(1);
    bed.release();
    await accepted;
  });

  it('the health checks are answered all the same', async () => {
    const { query, http, running, release } = await startHeld({ MAX_OPERATIONS: '1' });
    const accepted = query(NAME);
    await running(1);
    for (const path of ['/health/live', '/health/ready']) expect((await http(path)).status).toBe(200);
    release();
    await accepted;
  });

  it('a client that leaves gives its place back', async () => {
    const { query, running, release } = await startHeld({ MAX_OPERATIONS: '1' });
    const leaving = new AbortController();
    const left = query(NAME, { signal: leaving.signal }).catch(() => 'left');
    await running(1);
    leaving.abort();
    expect(await left).toBe('left');
    release();
    await eventually(async () => expect((await query(NAME)).body).toEqual(nameData));
  });

  it('at ten times as many requests those accepted are answered as soon as the service answers, and memory stays', {
    timeout: 180_000,
  }, async () => {
    const MAX = 20;
    // Long beside what a busy machine adds.
    const SERVICE_MS = 500;
    const bed = await start({ env: { MAX_OPERATIONS: String(MAX), UPSTREAM_CONNECTIONS: String(MAX) } });
    bed.simulator.intercept(() => new Promise((resolve) => setTimeout(resolve, SERVICE_MS, undefined)));
    const agent = new Agent({ keepAlive: true, maxSockets: 10 * MAX });
    onTestFinished(() => agent.destroy());
    const statuses = new Map<number, number[]>();
    const ask = () =>
      new Promise<void>((resolve, reject) => {
        const started = performance.now();
        const headers = { ...json, authorization: `Bearer ${TOKEN}` };
        const request = httpRequest(bed.subgraph.url, { method: 'POST', headers, agent }, (response) => {
          response.resume().once('end', () => {
            const times = statuses.get(response.statusCode ?? 0) ?? [];
            statuses.set(response.statusCode ?? 0, times.concat(performance.now() - started));
            resolve();
          });
        });
        request.on('error', reject);
        request.end(JSON.stringify({ query: NAME }));
      });
    const median = (sorted: number[]) => sorted[sorted.length >> 1] ?? Number.NaN;
    const flood = async (requests: number) => {
      let left = requests;
      const client = async () => {
        while (left-- > 0) await ask();
      };
      await Promise.all(Array.from({ length: 10 * MAX }, client));
    };
    /** Makes so many requests. Returns the heap that is in use when nothing of them is needed any more. */
    const floodAndCheck = async (requests: number) => {
      await flood(requests);
      expect([...statuses.keys()].toSorted()).toEqual([200, 503]);
      const [accepted = [], refused = []] = [200, 503].map((status) =>
        (statuses.get(status) ?? []).toSorted((a, b) => a - b),
      );
      expect(accepted.length).toBeGreaterThanOrEqual(MAX);
      // One that is accepted waits for one call, not for others. If all were accepted, each would wait for ten calls. One that is
      // refused waits for nothing, and takes what the machine takes.
      expect(median(accepted)).toBeLessThan(4 * SERVICE_MS + 4 * median(refused));
      // Those that are refused cause none.
      expect(bed.calls()).toHaveLength(accepted.length);
      statuses.clear();
      bed.simulator.clear();
      return heapUsed();
    };
    let before = await floodAndCheck(2000);
    const grown: number[] = [];
    for (let times = 0; times < 3; times += 1) {
      const now = await floodAndCheck(4000);
      grown.push(now - before);
      before = now;
    }
    // The heap is not exact, and grows for other reasons; what each request left behind would be more, each time.
    expect(Math.min(...grown)).toBeLessThan(4000 * 64);
    expect((await bed.http('/health/ready')).status).toBe(200);
  });
});

describe('3.28 Slow requests', () => {
  const env = { REQUEST_TIMEOUT_MS: '300' };

  it.each<[string, string]>([
    ['nothing at all', ''],
    ['a part of a head', 'POST /graphql HTTP/1.1\r\nhost: x\r\n'],
  ])('%s gets a 408 in JSON, and a closed connection', async (_title, text) => {
    const bed = await start({ env });
    const { received, closed } = await open(bed, text);
    await closed;
    expect(errorOf(received())).toEqual({ status: 408, closes: true, code: 'REQUEST_TIMEOUT' });
  });

  it('a body that does not come to its end gets a 408 too', async () => {
    const bed = await start({ env });
    const head = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{';
    const { received, closed } = await open(bed, head);
    await closed;
    expect(errorOf(received())).toMatchObject({ status: 408, code: 'REQUEST_TIMEOUT' });
  });

  it('one that is just in time is answered, and its connection stays open for the next', async () => {
    const bed = await start({ env: { REQUEST_TIMEOUT_MS: '2000' } });
    const { socket, received } = await open(bed, 'GET /health/live HTTP/1.1\r\n');
    socket.write('host: x\r\n\r\n');
    await eventually(() => expect(received()).toContain('{"status":"live"}'));
    socket.write('GET /health/ready HTTP/1.1\r\nhost: x\r\n\r\n');
    await eventually(() => expect(received()).toContain('{"status":"ready"}'));
  });

  it('hundreds of slow heads and bodies do not hurt others, and each of them gets its 408', async () => {
    const bed = await start({ env: { MAX_OPERATIONS: '10', REQUEST_TIMEOUT_MS: '3000' } });
    const head = 'POST /graphql HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    const slow = await Promise.all(
      Array.from({ length: 300 }, (_, index) =>
        open(bed, index % 2 === 0 ? head : `${head}content-length: 999\r\n\r\n{`),
      ),
    );
    let closed = 0;
    for (const connection of slow) connection.closed.then(() => closed++);
    for (let index = 0; index < 50; index++) expect((await bed.query(NAME)).body).toEqual(nameData);
    // Others had their answers while all of the slow ones were there.
    expect(closed).toBe(0);
    await eventually(() => expect(closed).toBe(300));
    for (const { received } of slow) {
      expect(errorOf(received())).toEqual({ status: 408, closes: true, code: 'REQUEST_TIMEOUT' });
    }
  });
});
