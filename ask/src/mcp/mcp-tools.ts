import { type DocumentNode, type GraphQLSchema, Kind, parse } from 'graphql';
import type * as z from 'zod';
import { readOperations } from '../../../src/graphql/documents/operation-files.ts';
import { inputSchemaOf } from './input-schema.ts';

/** A stored operation as a tool. */
export interface McpTool {
  /** The name of the operation. */
  readonly name: string;
  readonly title: string;
  /** The comment of the operation's file. */
  readonly description: string;
  /** The names of the variables. */
  readonly variables: readonly string[];
  readonly inputSchema: z.ZodType<Record<string, unknown>>;
  /** The document, with the names of the schema. */
  readonly query: string;
}

/**
 * The operations that are tools, with their titles: those with small responses first, because models prefer what they read
 * first. Operations with a link to a file are no tools: a link opens the file for anyone who reads it.
 */
const titles = {
  Metadata: 'Metadata of a dataset',
  DatasetNames: 'Names of some datasets',
  Outline: 'Assets and metrics of a dataset',
  AssetPage: 'A page of the assets of a dataset',
  MetricStatistics: 'Statistics of each metric',
  LatestValues: 'Latest values of assets',
  Periods: 'Values by month or another period',
  ByDate: 'Values of all assets by date',
  ReducedColumns: 'Values reduced to some points',
  OneAsset: 'All values of one asset',
  Columns: 'All values of some assets',
  SeveralDatasets: 'All values of several datasets',
} as const;

/** The names of the operations that are tools, in their order. */
export const toolNames: readonly string[] = Object.keys(titles);

/**
 * Makes the tools.
 *
 * @param schema a schema made by `createSchema`
 */
export function createTools(schema: GraphQLSchema): McpTool[] {
  const texts = new Map(readOperations(schema).map(({ name, text }) => [name, text]));
  return Object.entries(titles).map(([name, title]) => {
    const query = texts.get(name);
    if (query === undefined) throw new Error(`operations/ has no ${name}.`);
    const document = parse(query);
    return {
      name,
      title,
      description: commentOf(query),
      variables: variablesOf(document),
      inputSchema: inputSchemaOf(document, schema),
      query,
    };
  });
}

function variablesOf({ definitions }: DocumentNode): string[] {
  return definitions.flatMap((definition) =>
    definition.kind === Kind.OPERATION_DEFINITION
      ? (definition.variableDefinitions ?? []).map(({ variable }) => variable.name.value)
      : [],
  );
}

/** The comment before an operation, in one line. */
function commentOf(text: string): string {
  const [comment = ''] = /^(?:# .*\n)+/.exec(text) ?? [];
  return comment.replaceAll(/^# /gm, '').trim().replaceAll('\n', ' ');
}
