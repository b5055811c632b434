import { describe, expect, it } from 'vitest';
import { CallIndex, type Filter, filterOf } from '../../src/loaders/filters.ts';
import {
  type CallOutcome,
  hasUnrequestedAssets,
  type MadeCall,
  type PlannedCall,
  plan,
  type Request,
  type Settled,
} from '../../src/loaders/planner.ts';
import { RestError } from '../../src/rest/contract/rest-error.ts';

/**
 * The planner of results calls, as a table. `[a b]D` requests the rows of a and b in the range D, `[all]` those of all assets, and `~a` the
 * attributes of a. A call has ` m` behind it if it may serve several requests.
 */

const ranges: Readonly<Record<string, { start: bigint; stop?: bigint }>> = {
  D: { start: 1n, stop: 1n },
  L: { start: 9n },
};

interface Call extends MadeCall {
  readonly name: string;
  outcome: CallOutcome | undefined;
}

interface Asked extends Request<Call> {
  readonly name: string;
  mergeable: boolean;
  isWanted: boolean;
  settled: Settled<Call> | undefined;
}

function parse(name: string): { kind: Asked['kind']; filter: Filter } {
  if (name.startsWith('~')) return { kind: 'attributes', filter: filterOf([name.slice(1)], undefined) };
  const [, ids = '', range = ''] = /^\[(.*)\](.?)$/.exec(name) ?? [];
  return { kind: 'rows', filter: filterOf(ids === 'all' ? undefined : ids.split(' '), ranges[range]) };
}

function nameOf({ assetIds, timeRange }: Filter): string {
  const range = Object.keys(ranges).find((letter) => ranges[letter] === timeRange) ?? '';
  return `[${assetIds === undefined ? 'all' : [...assetIds].join(' ')}]${range}`;
}

/** Requests and calls of one dataset. What the planner says is done at once. */
class Dataset {
  /** The calls and what became of them, in their order. */
  readonly log: string[] = [];
  readonly #requests: Asked[] = [];
  readonly #calls = new CallIndex<Call>();
  readonly #idsPerCall: number;
  #maySuspend: boolean;

  constructor(idsPerCall = 500, merges = true) {
    this.#idsPerCall = idsPerCall;
    this.#maySuspend = merges;
  }

  /** One batch of requests. */
  ask(...names: string[]): this {
    const mergeable = this.#mayMerge(names.length);
    for (const name of names) {
      this.#requests.push({ name, ...parse(name), mergeable, isWanted: true, settled: undefined });
    }
    return this.#plan();
  }

  /** The running call with this filter ends: with these assets, or with a status. */
  respond(name: string, ends: string | number): this {
    const [call] = this.#calls.filter((each) => each.name === name && each.outcome === undefined);
    if (call === undefined) throw new Error(`There is no running call ${name}.`);
    if (typeof ends === 'number') {
      call.outcome = { error: new RestError('getDatasetResults', 'httpError', { status: ends }) };
    } else {
      const assetIds = new Set(ends.split(' ').filter(Boolean));
      call.outcome = { assetIds, hasUnrequestedAssets: hasUnrequestedAssets(call.filter, assetIds) };
      if (call.merged && call.outcome.hasUnrequestedAssets) this.#maySuspend = false;
    }
    return this.#plan();
  }

  /** Nobody waits for a request any more, or somebody does again. */
  want(name: string, isWanted: boolean): this {
    for (const request of this.#requests) if (request.name === name) request.isWanted = isWanted;
    return this.#plan();
  }

  /** What came of each request. */
  get results(): string[] {
    return this.#requests.map(({ name, settled }) => {
      if (settled === undefined) return `${name} waits`;
      if (settled.state === 'failed') return `${name} ${settled.error.status}`;
      const parts = settled.parts.map(({ call, only }) => `${call.name}${only ? `(${[...only].join(' ')})` : ''}`);
      return `${name} = ${parts.join(' + ')}`;
    });
  }

  #mayMerge(requests: number): boolean {
    return requests > 100 || this.#maySuspend;
  }

  #plan(): this {
    const options = { idsPerCall: this.#idsPerCall, mayMerge: (requests: number) => this.#mayMerge(requests) };
    const { settle, abort, make } = plan(this.#requests, this.#calls, options);
    for (const [request, settled] of settle) request.settled = settled;
    for (const call of abort) {
      this.#calls.delete(call);
      this.log.push(`abort ${call.name}`);
    }
    for (const call of make) this.#make(call);
    return this;
  }

  #make({ filter, merged }: PlannedCall): void {
    const name = nameOf(filter);
    this.log.push(`${name}${merged ? ' m' : ''}`);
    this.#calls.add({ name, filter, merged, outcome: undefined });
  }
}

const dataset = (idsPerCall?: number, merges?: boolean) => new Dataset(idsPerCall, merges);

describe('The planner', () => {
  it.each<[string, () => Dataset, string[], string[]]>([
    [
      'leaves the response to a filter of its own as received',
      () => dataset().ask('[a b]').respond('[a b]', 'a z').ask('[c]', '[d]'),
      ['[a b]', '[c d] m'],
      ['[a b] = [a b]', '[c] waits', '[d] waits'],
    ],
    [
      'merges what overlaps in one range',
      () => dataset().ask('[a b]D', '[b c]D', '[b a]D').respond('[a b c]D', 'a b c'),
      ['[a b c]D m'],
      ['[a b]D = [a b c]D(a b)', '[b c]D = [a b c]D(b c)', '[b a]D = [a b c]D(b a)'],
    ],
    [
      'does not merge ranges',
      () => dataset().ask('[a]D', '[a]L', '[a]').respond('[a]L', 'a'),
      ['[a]D', '[a]L', '[a]'],
      ['[a]D waits', '[a]L = [a]L', '[a] waits'],
    ],
    [
      'asks for all assets, and then once for those that were not among them',
      () => dataset().ask('[all]', '[a c]', '~x').respond('[all]', 'a b').respond('[c x]', 'c x'),
      ['[all] m', '[c x] m'],
      ['[all] = [all]', '[a c] = [all](a) + [c x](c)', '~x = [all]() + [c x](x)'],
    ],
    [
      'reads attributes from rows that are requested anyway',
      () => dataset().ask('[a b]D', '~b').respond('[a b]D', 'a b'),
      ['[a b]D'],
      ['[a b]D = [a b]D', '~b = [a b]D(b)'],
    ],
    [
      'asks once for the attributes that no range has',
      () => dataset().ask('[a]L', '~a', '[b]D', '~b', '[c]L', '~c').respond('[a c]L', '').respond('[b]D', 'b'),
      ['[a c]L m', '[b]D', '[a c] m'],
      ['[a]L = [a c]L()', '~a waits', '[b]D = [b]D', '~b = [b]D(b)', '[c]L = [a c]L()', '~c waits'],
    ],
    [
      'asks no more for assets that were reported absent',
      () => dataset().ask('~x', '[y]', '~y', '[z]').respond('[y z x]', ''),
      ['[y z x] m'],
      ['~x = [y z x]()', '[y] = [y z x]()', '~y = [y z x](y)', '[z] = [y z x]()'],
    ],
    [
      'joins the chunks of a long filter in the order of its calls',
      () => dataset(2).ask('[a b c]').respond('[c]', 'c').respond('[a b]', 'a b'),
      ['[a b] m', '[c] m'],
      ['[a b c] = [a b] + [c]'],
    ],
    [
      'asks for a long filter whole if a chunk has an asset that was not requested',
      () => dataset(2).ask('[a b c]').respond('[a b]', 'a b z').respond('[c]', 'c').respond('[a b c]', 'a b c z'),
      ['[a b] m', '[c] m', '[a b c]'],
      ['[a b c] = [a b c]'],
    ],
    [
      'gives each request its own verdict if a merged call is refused',
      () => dataset().ask('[a]', '[b]', '~c').respond('[a b c]', 403).respond('[a]', 'a').respond('[b]', 404),
      ['[a b c] m', '[a]', '[b]', '[c]'],
      ['[a] = [a]', '[b] 404', '~c waits'],
    ],
    [
      'does not ask again after a failure that says nothing of the request',
      () => dataset().ask('[a]', '[b]').respond('[a b]', 503),
      ['[a b] m'],
      ['[a] 503', '[b] 503'],
    ],
    ['nor after 401', () => dataset().ask('[a]', '[b]').respond('[a b]', 401), ['[a b] m'], ['[a] 401', '[b] 401']],
    ['nor after 429', () => dataset().ask('[a]', '[b]').respond('[a b]', 429), ['[a b] m'], ['[a] 429', '[b] 429']],
    [
      'does not take the refusal of several assets for that of one',
      () => dataset().ask('[a b]', '~a').respond('[a b]', 403).respond('[a]', 'a'),
      ['[a b]', '[a]'],
      ['[a b] 403', '~a = [a]'],
    ],
    [
      'takes the refusal of one asset for that of its attributes',
      () => dataset().ask('[a]', '~a').respond('[a]', 403),
      ['[a]'],
      ['[a] 403', '~a 403'],
    ],
    [
      'asks for each alone if all assets are refused',
      () => dataset().ask('[all]', '[a]', '~c').respond('[all]', 403).respond('[a]', 'a'),
      ['[all] m', '[a]', '[c]'],
      ['[all] 403', '[a] = [a]', '~c waits'],
    ],
    [
      'does not ask again for a chunk that two filters have in common',
      () => dataset(2).ask('[a b c]', '[a b d]').respond('[a b]', 'a b').respond('[c d]', 403).respond('[c]', 'c'),
      ['[a b] m', '[c d] m', '[c] m', '[d] m'],
      ['[a b c] = [a b] + [c]', '[a b d] waits'],
    ],
    [
      'does not ask for the other chunks of a filter of which one is refused',
      () => dataset(2).ask('[a b c]', '[a d]').respond('[a b]', 403),
      ['[a b] m', '[c d] m', '[a d]'],
      ['[a b c] 403', '[a d] waits'],
    ],
    [
      'suspends merging if a merged call has an asset that was not requested',
      () => dataset().ask('[a]', '[b]').respond('[a b]', 'a b z').ask('[c]', '[d]'),
      ['[a b] m', '[a]', '[b]', '[c]', '[d]'],
      ['[a] waits', '[b] waits', '[c] waits', '[d] waits'],
    ],
    [
      'merges nothing while merging is suspended',
      () => dataset(500, false).ask('[all]', '[a]', '~a', '~b').respond('[all]', 'a b').respond('[a]', 'a'),
      ['[all]', '[a]', '[b]'],
      ['[all] = [all]', '[a] = [a]', '~a = [a](a)', '~b waits'],
    ],
    [
      'reads later requests from earlier responses',
      () => dataset().ask('[all]').respond('[all]', 'a b').ask('[a]', '~b'),
      ['[all]'],
      ['[all] = [all]', '[a] = [all](a)', '~b = [all](b)'],
    ],
    [
      'asks only for what running calls do not ask for',
      () => dataset().ask('[a b]', '[b]').ask('[a c]'),
      ['[a b] m', '[c] m'],
      ['[a b] waits', '[b] waits', '[a c] waits'],
    ],
    [
      'leaves settled what is settled',
      () => dataset(2).ask('[a c]L', '[b a]L').respond('[a c]L', '').respond('[b]L', 403).respond('[b a]L', 403),
      ['[a c]L m', '[b]L m', '[b a]L'],
      ['[a c]L = [a c]L', '[b a]L 403'],
    ],
    [
      'aborts the other chunks of a request that has failed, before it asks for attributes',
      () => dataset(2).ask('[a b c]D', '[d]L', '~d').respond('[d]L', '').respond('[a b]D', 500),
      ['[a b]D m', '[c]D m', '[d]L', 'abort [c]D', '[d]'],
      ['[a b c]D 500', '[d]L = [d]L', '~d waits'],
    ],
    [
      'aborts the call of a request that is cancelled, and makes it again if it is wanted again',
      () => dataset().ask('[a]D', '[b]L', '~b').respond('[b]L', '').want('[a]D', false).want('[a]D', true),
      ['[a]D', '[b]L', 'abort [a]D', '[b]', '[a]D'],
      ['[a]D waits', '[b]L = [b]L', '~b waits'],
    ],
    [
      'goes on with a call that another request needs',
      () => dataset().ask('[a]', '[b]').want('[a]', false).respond('[a b]', 'a b'),
      ['[a b] m'],
      ['[a] = [a b](a)', '[b] = [a b](b)'],
    ],
    [
      'ends a chunk that nobody needs',
      () => dataset(2).ask('[a b c]', '[a b]').want('[a b c]', false),
      ['[a b] m', '[c] m', 'abort [c]'],
      ['[a b c] waits', '[a b] waits'],
    ],
    [
      'waits for all ranges, because of versions',
      () => dataset().ask('~a', '[a]D', '[a]L').respond('[a]D', 'a').respond('[a]L', 'a'),
      ['[a]D', '[a]L'],
      ['~a = [a]D(a) + [a]L(a)', '[a]D = [a]D', '[a]L = [a]L'],
    ],
    [
      'has every version in what is of all time',
      () => dataset().ask('~a', '[a]', '[a]L').respond('[a]', 'a'),
      ['[a]', '[a]L'],
      ['~a = [a](a)', '[a] = [a]', '[a]L waits'],
    ],
    [
      'reads attributes from the other range if one fails',
      () => dataset().ask('[a]D', '~a', '[a]L').respond('[a]D', 500).respond('[a]L', 'a'),
      ['[a]D', '[a]L'],
      ['[a]D 500', '~a = [a]L(a)', '[a]L = [a]L'],
    ],
    [
      'has the error of the only range for attributes',
      () => dataset().ask('[a]D', '~a').respond('[a]D', 500),
      ['[a]D'],
      ['[a]D 500', '~a 500'],
    ],
    [
      'asks again alone after a response with an asset that was not requested',
      () => dataset().ask('[a b]').respond('[a b]', 'a z').ask('[a]').respond('[a]', 'a'),
      ['[a b]', '[a]'],
      ['[a b] = [a b]', '[a] = [a]'],
    ],
    [
      'fails with all if their call fails',
      () => dataset().ask('[all]', '[a]').respond('[all]', 500),
      ['[all] m'],
      ['[all] 500', '[a] 500'],
    ],
    [
      'asks for attributes only when nothing else runs',
      () => dataset().ask('[a]D', '~a', '[b]').respond('[a]D', '').respond('[b]', 'b'),
      ['[a]D', '[b]', '[a]'],
      ['[a]D = [a]D', '~a waits', '[b] = [b]'],
    ],
    [
      'does not wait for a call if another one has reported the asset absent',
      () => dataset().ask('[a c]').respond('[a c]', '').ask('[all]').ask('[a]'),
      ['[a c]', '[all]'],
      ['[a c] = [a c]', '[all] waits', '[a] = [a c]()'],
    ],
  ])('%s', (_, run, calls, results) => {
    const { log, results: actual } = run();
    expect({ calls: log, results: actual }).toEqual({ calls, results });
  });

  it('merges more than a hundred requests also while merging is suspended', () => {
    const ids = Array.from({ length: 101 }, (_, index) => `a${index}`);
    const merged = dataset(500, false).ask(...ids.map((id) => `[${id}]`));
    expect(merged.log).toEqual([`[${ids.join(' ')}] m`]);
    const single = dataset(500, false).ask(...ids.slice(1).map((id) => `[${id}]`));
    expect(single.log).toHaveLength(100);
  });
});
