import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { drive, open, Selection } from '../index.ts';
import { row } from './bodies.ts';

describe('The README', () => {
  it('has an example that runs', async () => {
    const readme = readFileSync('engine/README.md', 'utf8');
    const [, example = ''] = /```ts\nimport [^\n]*\n([\s\S]*?)```/.exec(readme) ?? [];
    const results = [row('2024-01-01', { ndvi: 0.5, other: 1 }), row('2024-01-02', { ndvi: 0.25 })];
    const body = Buffer.from(
      JSON.stringify({
        assets: [
          { asset_id: '1', results },
          { asset_id: '2', asset_name: 5 },
        ],
      }),
    );
    const pieces: Buffer[] = [];
    const warnings: string[][] = [];
    const AsyncFunction = (async () => {}).constructor as new (
      ...code: string[]
    ) => (...given: unknown[]) => Promise<void>;
    const run = new AsyncFunction('drive', 'open', 'Selection', 'response', 'socket', 'console', example);
    const socket = {
      write(piece: Buffer, sent: () => void) {
        pieces.push(Buffer.from(piece));
        sent();
      },
    };
    await run(drive, open, Selection, { body: [body] }, socket, { warn: (...words: string[]) => warnings.push(words) });
    expect(JSON.parse(Buffer.concat(pieces).toString())).toEqual([
      { asset: { name: null }, columns: { dates: ['2024-01-01', '2024-01-02'], metrics: [{ values: [0.5, 0.25] }] } },
      { asset: { name: null }, columns: null },
    ]);
    expect(warnings).toEqual([['1.asset.name', 'wrongType']]);
  });
});
