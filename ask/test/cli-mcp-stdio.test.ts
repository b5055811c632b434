import { describe, expect, it } from 'vitest';
import { operationText } from '../../test/support/cookbook.ts';
import { DATASET_ID, dataset, getSummary, queryAt, respondWith, start, TOKEN } from '../../test/support/harness.ts';
import { startProgram } from '../../test/support/process.ts';
import { runCommand } from './ask.ts';
import { failed } from './cli-ask.ts';
import { callMessage, connect, connectShared, environment, mcp, revisions, textsOf, toolArguments } from './cli-mcp.ts';

const id = DATASET_ID;

describe('dataset-subgraph mcp', () => {
  it.each(revisions)('lists its tools by %j, those with small responses first', async (revision) => {
    const client = await connect(await start(), { revision });
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(Object.keys(toolArguments));
    for (const { name, title, description, annotations, inputSchema } of tools) {
      const [comment = ''] = /^(?:# .*\n)+/.exec(operationText(name)) ?? [];
      expect(description).toBe(comment.replaceAll(/^# /gm, '').trim().replaceAll('\n', ' '));
      expect(title).toMatch(/^[A-Z][a-z ]+$/);
      expect(annotations).toEqual({
        readOnlyHint: true,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      });
      // A model chooses the arguments by their descriptions.
      for (const [variable, input] of Object.entries(inputSchema.properties ?? {})) {
        expect([name, variable, input]).toEqual([
          name,
          variable,
          expect.objectContaining({ description: expect.stringMatching(/\.$/) }),
        ]);
      }
    }
    expect(client.getInstructions()).toContain('There is no list of datasets: ask the user for the id of one.');
  });

  it('has the variables of an operation as arguments', async () => {
    const { tools } = await (await connectShared(await start())).listTools();
    const bound = {
      anyOf: [{ type: 'string' }, { type: 'integer', minimum: -(2 ** 53) + 1, maximum: 2 ** 53 - 1 }],
      description: expect.stringMatching(/^A day, such as 2012-01-31, or a month/),
    };
    expect(tools.find(({ name }) => name === 'Periods')?.inputSchema).toEqual({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        id: { type: 'string', description: 'The id of the dataset.' },
        assetIds: { type: 'array', items: { type: 'string' }, description: expect.any(String) },
        metrics: { type: 'array', items: { type: 'string' }, description: expect.any(String) },
        timeRange: {
          type: 'object',
          properties: { start: bound, stop: bound },
          additionalProperties: false,
          description: expect.any(String),
        },
        every: {
          type: 'string',
          enum: ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'],
          default: 'MONTH',
          description: 'How long each period is.',
        },
      },
      required: ['id'],
      additionalProperties: false,
    });
    const required = Object.fromEntries(tools.map(({ name, inputSchema }) => [name, inputSchema.required]));
    expect(required).toMatchObject({ ReducedColumns: ['id', 'points'], AssetPage: ['id', 'first'] });
  });

  it.each(revisions)('has in each result by %j the data of the operation, as text and structured', async (revision) => {
    const bed = await start();
    const client = await connect(bed, { revision });
    for (const [name, variables] of Object.entries(toolArguments)) {
      const { text, body } = await bed.query(operationText(name), { variables });
      expect(body).toEqual({ data: expect.any(Object) });
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: variables });
      const data = text.trim().slice('{"data":'.length, -1);
      expect([content, structuredContent, isError]).toEqual([[{ type: 'text', text: data }], body.data, undefined]);
    }
    const tokens = new Set(bed.simulator.requests.flatMap(({ headers }) => headers.authorization));
    expect([...tokens]).toEqual([`Bearer ${TOKEN}`]);
  });

  it('sends the defaults of the document, and takes null for absent', async () => {
    const bed = await start();
    const client = await connectShared(bed);
    const variables = {
      id,
      assetIds: null,
      metrics: null,
      timeRange: { start: '2024-01-02', stop: null },
      every: null,
    };
    const result = await client.callTool({ name: 'Periods', arguments: variables });
    const { body } = await bed.query(operationText('Periods'), {
      variables: { id, timeRange: { start: '2024-01-02' }, every: 'MONTH' },
    });
    expect(result.structuredContent).toEqual(body.data);
    expect(new Set(bed.filters().map((filter) => JSON.stringify(filter))).size).toBe(1);
  });

  it('keeps the digits of integers above 2^53', async () => {
    const bed = await start();
    respondWith(bed.simulator, {
      metadata: `{"id":"${id}","name":"Large","start_date":9007199254740993,"stop_date":-9223372036854775808}`,
      results: `{"assets":[{"asset_id":"a","results":[{"value_date":"2024-01-01","metrics":[
        {"name":"count","value":9007199254740993},{"name":"mean","value":1.50}]}]}]}`,
    });
    const client = await connectShared(bed);
    const metadata = await client.callTool({ name: 'Metadata', arguments: { id } });
    expect(textsOf(metadata)[1]).toContain('"startDate":"9007199254740993"');
    const program = mcp([], { ...environment(bed), DATASET_TOKEN: TOKEN });
    program.type(`${callMessage('LatestValues', { id })}\n`);
    const [line] = await program.printed(/^.*\n/m);
    const { text } = await queryAt(new URL(bed.subgraph.url), operationText('LatestValues'), { variables: { id } });
    const data = text.trim().slice('{"data":'.length, -1);
    expect(data).toContain('"value":9007199254740993');
    expect(line).toContain(JSON.stringify(data));
    // The same numbers, which a client may parse as it likes.
    expect(line).toContain(`"structuredContent":${data}`);
  });

  it('has errors as results, each with its code', async () => {
    const bed = await start();
    const client = await connectShared(bed);
    const call = (name: string, variables: Record<string, unknown>) => client.callTool({ name, arguments: variables });
    const gone = await call('Metadata', { id: 'gone' });
    expect([gone.isError, textsOf(gone), gone.structuredContent]).toEqual([
      true,
      ['The dataset service has nothing under this id. (NOT_FOUND, request ID) At dataset.'],
      undefined,
    ]);
    const partial = await call('DatasetNames', { ids: [id, 'gone'] });
    expect([partial.isError, textsOf(partial)]).toEqual([
      true,
      [
        'The dataset service has nothing under this id. (NOT_FOUND, request ID) At datasetsByIds.1.',
        `{"datasetsByIds":[{"id":"${id}","name":"${dataset.metadata.name}","assetCount":3},null]}`,
      ],
    ]);
    bed.simulator.intercept(() => ({ status: 503 }));
    expect(textsOf(await call('Metadata', { id }))).toEqual([
      expect.stringContaining('(UPSTREAM_UNAVAILABLE, request ID)'),
    ]);
  });

  it('makes no call with arguments that are not those of the tool', async () => {
    const bed = await start();
    const client = await connectShared(bed);
    const rows: [string, Record<string, unknown>, RegExp][] = [
      ['Metadata', { id, x: 1 }, /: Unrecognized key: "x"$/],
      ['Metadata', {}, /: id: /],
      ['AssetPage', { id, first: '2' }, /: first: /],
      // Above 2^53 it must be a string.
      ['Columns', { id, timeRange: { start: 2 ** 53 } }, /: timeRange\.start: /],
      ['Columns', { id, timeRange: { from: '2024' } }, /"from"/],
      ['Periods', { id, every: 'HOUR' }, /: every: /],
    ];
    for (const [name, variables, message] of rows) {
      const result = await client.callTool({ name, arguments: variables });
      expect([result.isError, textsOf(result)]).toEqual([true, [expect.stringMatching(message)]]);
      expect(textsOf(result)[0]).toContain(`Invalid arguments for tool ${name}`);
    }
    expect(bed.calls()).toEqual([]);
  });

  it('cuts off a response of more than 100 kB, and says how to ask for less', async () => {
    const bed = await start();
    // Characters of three bytes: the limit falls within one of them.
    const assets = Array.from({ length: 3000 }, (_, index) => ({
      asset_id: `a${index}`,
      asset_name: `Wiese ${'€'.repeat(100)}`,
    }));
    respondWith(bed.simulator, { results: { assets } });
    const client = await connectShared(bed);
    const call = (first: number) => client.callTool({ name: 'AssetPage', arguments: { id, first } });
    const cut = await call(3000);
    const [message, text = '', ...others] = textsOf(cut);
    expect(message).toBe(
      'The response is longer than 100 kB. It was cut off, and what follows is incomplete. Ask for less: a shorter timeRange, ' +
        'or a smaller first, or a tool with a smaller response, such as AssetPage, MetricStatistics or Periods.',
    );
    const whole = await bed.query(operationText('AssetPage'), { variables: { id, first: 3000 } });
    expect(whole.text.startsWith(text)).toBe(true);
    expect(Buffer.byteLength(text)).toBeGreaterThan(99_990);
    expect(Buffer.byteLength(text)).toBeLessThan(100_000);
    expect([others, cut.structuredContent, cut.isError]).toEqual([[], undefined, undefined]);
    expect((await call(10)).structuredContent).toMatchObject({
      dataset: { results: { series: { totalCount: 3000 } } },
    });
  });

  it('asks under the names of SCHEMA_NAMES, and has the same responses', async () => {
    const env = { SCHEMA_NAMES: 'TimeRangeInput:FooRange,TimeBound:FooBound,Query.dataset:platformDataset' };
    const bed = await start({ env });
    const client = await connectShared(bed, env);
    const variables = { id, timeRange: { start: '2024-01-02' } };
    const { structuredContent } = await client.callTool({ name: 'Columns', arguments: variables });
    expect(structuredContent).toMatchObject({ dataset: { name: dataset.metadata.name } });
  });

  it('writes only messages of MCP to standard output, and ends with standard input', async () => {
    const bed = await start();
    const program = mcp([], { ...environment(bed), DATASET_TOKEN: TOKEN });
    program.type('this is no JSON\n');
    program.type(`${callMessage('Metadata', { id })}\n`);
    await program.printed(/"structuredContent".*\n/);
    program.type('', { last: true });
    const { code, stdout, stderr } = await program.ended;
    expect([code, stderr]).toEqual([0, '']);
    for (const line of stdout.trimEnd().split('\n')) expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
    expect(stdout).not.toContain(TOKEN);
    expect(bed.calls()).toEqual([getSummary()]);
  });

  it.each(['SIGTERM', 'SIGINT'] as const)('ends with %s', async (signal) => {
    const program = mcp([], environment(await start()));
    program.type(`${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })}\n`);
    await program.printed(/"tools"/);
    program.kill(signal);
    expect(await program.ended).toMatchObject({ code: 0, signal: null, stderr: '' });
  });

  it('ends for a message that is too long', async () => {
    const program = mcp([], environment(await start()));
    program.type('x'.repeat(2 ** 20 + 1));
    expect(await program.ended).toMatchObject({ code: 0, stdout: '' });
  });

  it('runs as npm run mcp in a checkout', async () => {
    const bed = await start();
    const env = { ...environment(bed), DATASET_TOKEN: TOKEN };
    const program = startProgram('npm', ['run', '--silent', 'mcp'], { env, ownGroup: true });
    program.type(`${callMessage('Metadata', { id })}\n`);
    const [line] = await program.printed(/^.*\n/m);
    expect(JSON.parse(line).result.structuredContent.dataset.name).toBe(dataset.metadata.name);
    program.type('', { last: true });
    expect(await program.ended).toMatchObject({ code: 0, stderr: '' });
  });

  it.each<[string, string[], string]>([
    ['a host without a port', ['--host', 'localhost'], '--host and --allow-host require --http.'],
    ['a name without a port', ['--allow-host', 'a.example.com'], '--host and --allow-host require --http.'],
    [
      'a port that is none',
      ['--http', '65536'],

      "Option '--http <port>' is invalid. It must be a whole number from 0 to 65535.",
    ],
    [
      'a name with a port',
      ['--http', '0', '--allow-host', 'a.example.com:1'],

      "Option '--allow-host <name>' is invalid. It must be a host name without a port.",
    ],
    [
      'a token as an argument',
      ['--token', 's3cret'],

      'A token cannot be an argument, because others could see it. Use DATASET_TOKEN or --token-file.',
    ],
    ['an argument', ['s3cret'], "Too many arguments for 'mcp'. Expected 0 arguments but got 1."],
  ])('rejects %s', async (_title, args, message) => {
    expect(await runCommand(['mcp', ...args])).toEqual(failed(2, `${message} See "dataset-subgraph help".`));
  });

  it('rejects a token that is none, without showing it', async () => {
    const { code, stdout, stderr } = await runCommand(['mcp'], { env: { DATASET_TOKEN: 's3 cret' } });
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(/^dataset-subgraph: DATASET_TOKEN must be /);
    expect(stderr).not.toContain('s3');
  });
});
