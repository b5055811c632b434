import {
  type Asked,
  type AskedOfResults,
  type Cell,
  type FieldType,
  fieldTypes,
  type Making,
  type Origin,
  type RowBatch,
  type TableColumn,
} from '../engine/index.ts';
import type { ComputedContents } from '../src/graphql/results-file.ts';
import { attributesOf } from './file-rows.ts';

/** Writes a table as a file, row by row. */
export interface TableWriter {
  /** Writes a row: a cell of each column. Returns about how many bytes it has made of it. */
  add(cells: readonly Cell[]): number;
  /** The rest of the file, when all rows were added, in steps that do not block other requests for long. */
  finish(): Iterable<readonly Buffer[]>;
}

/** Creates the writer of a table with these columns. */
export type CreateTable = (columns: readonly TableColumn[], making: Making) => TableWriter;

/** The columns of the asset, before those of what is computed from its rows. */
const assetColumns: readonly TableColumn[] = [
  { name: 'asset_id', type: 'text', nullable: false },
  { name: 'asset_name', type: 'text', nullable: true },
  { name: 'asset_version', type: 'int64', nullable: true },
];

/** Writes the table of a field that the engine computes: of each series, or of all of them together. */
export class ComputedTable implements FieldType {
  readonly #type: FieldType;
  readonly #createTable: CreateTable;
  #writer: TableWriter | undefined;

  constructor(type: FieldType, createTable: CreateTable) {
    this.#type = type;
    this.#createTable = createTable;
  }

  make(making: Making) {
    const { selected, isOfAll } = making;
    const field = this.#type.make(making);
    const columns = this.#type.columns?.(selected.select) ?? [];
    const writer = this.#createTable(isOfAll ? columns : [...assetColumns, ...columns], making);
    this.#writer = writer;
    let origin: Origin;
    return {
      begin: (next: Origin) => {
        origin = next;
        field.begin(next);
      },
      add: (rows: RowBatch) => field.add(rows),
      addMore: (rows: RowBatch) => field.addMore?.(rows) ?? false,
      write: (_: unknown, rowCount: number) => {
        const { assetId, name, version } = isOfAll ? noAttributes : attributesOf(origin);
        const lead = isOfAll ? [] : [assetId, name, version];
        return field.writeTable?.((cells) => writer.add([...lead, ...cells]), rowCount) ?? false;
      },
    };
  }

  finish(): Iterable<readonly Buffer[]> {
    return this.#writer?.finish() ?? [];
  }
}

const noAttributes = { assetId: '', name: null, version: null };

const leaf = (field: string): Asked => ({ key: field, field });
const point = (part: string) => (field: string) => ({ key: field, field, select: [leaf(part)] });

/** What a file asks of the engine. @param metrics undefined for all */
export function askedBy(
  contents: ComputedContents,
  metrics: readonly string[] | undefined,
  createTable: CreateTable,
): { asked: AskedOfResults; table: ComputedTable } {
  const { of, quantiles } = contents;
  const ofQuantiles = quantiles.length === 0 ? [] : [{ ...leaf('quantiles'), args: { of: quantiles } }];
  const table = new ComputedTable({ ...fieldTypes.series, ...fieldTypes.results }[of], createTable);
  const args = { metrics, ...(contents.of === 'periods' && { every: contents.every }) };
  const select = of === 'statistics' ? ofStatistics(ofQuantiles) : ofLists(ofQuantiles);
  const field = { ...leaf(of), args, select, type: table };
  return { asked: of === 'byDate' ? { entries: [], all: [field] } : { entries: [field] }, table };
}

/** The fields of statistics, in the order of their columns. */
function ofStatistics(quantiles: readonly Asked[]): Asked[] {
  return [
    ...['name', 'count', 'nullCount', 'sum', 'mean', 'standardDeviation'].map(leaf),
    ...['minimum', 'maximum', 'first', 'last'].map(point('value')),
    ...quantiles,
    ...['first', 'last', 'minimum', 'maximum'].map(point('valueDate')),
  ];
}

/** The same of lists. */
function ofLists(quantiles: readonly Asked[]): Asked[] {
  const lists = ['name', 'counts', 'sums', 'means', 'standardDeviations', 'minimums', 'maximums'].map(leaf);
  return [leaf('dates'), { ...leaf('metrics'), select: [...lists, ...quantiles] }];
}
