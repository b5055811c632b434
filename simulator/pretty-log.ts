import { styleText } from 'node:util';
import { sanitizeForTerminal } from '../src/core/sanitize-for-terminal.ts';

/** Where the lines go. A terminal knows whether it shows colours, and that NO_COLOR turns them off. */
interface Output {
  write(line: string): unknown;
  hasColors?(): boolean;
}

/** A line of the log in JSON. */
interface LogLine {
  readonly level: number;
  readonly time: number;
  readonly msg: string;
  readonly requestId?: string;
  readonly [field: string]: unknown;
}

/** A line for a person: what it is about, whether that is good, and the rest. */
interface Description {
  readonly kind: string;
  readonly style: 'green' | 'yellow' | 'red' | 'dim';
  readonly parts: readonly string[];
}

/** The columns of the longest kind, and of the REST operations of GraphQL. */
const KIND_COLUMNS = 'GraphQL'.length;
const OPERATION_COLUMNS = 'getDatasetMetadata'.length;

/** Longer ids of requests are cut. */
const MAX_ID_LENGTH = 12;
const CUT_ID_LENGTH = 8;

/** Receives the log in JSON, and writes it for a person: a readable line for each, with colours on a terminal. */
export function prettyLog(out: Output): { write(line: string): void } {
  const hasColors = out.hasColors?.() === true;
  const styled = (style: Description['style'], text: string) =>
    hasColors ? styleText(style, text, { validateStream: false }) : text;
  return {
    write: (json) => {
      const { level, time, msg, requestId, pid: _pid, hostname: _hostname, ...fields } = JSON.parse(json) as LogLine;
      const describe = descriptions[msg] ?? describeAny;
      const { kind, style, parts } = describe(fields, msg, level);
      const request = requestId === undefined ? [] : [`request ${cut(requestId)}`];
      const text = sanitizeForTerminal([...parts, ...request].join('  '));
      out.write(`${styled('dim', timeOfDay(time))} ${styled(style, kind.padEnd(KIND_COLUMNS))} ${text}\n`);
    },
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** How the lines of each message are written; all others are written field by field. */
const descriptions: Readonly<Record<string, (fields: Fields) => Description>> = {
  'REST call': (fields) => {
    const { operation, status, label, failure, cause, milliseconds, bytes } = fields as unknown as RestCallFields;
    const response = status === null ? 'no response' : `${status}`;
    return {
      kind: 'REST',
      style: failure === undefined ? 'green' : 'red',
      parts: [
        operation.padEnd(OPERATION_COLUMNS),
        label === null ? response : `${response} ${label}`,
        ...(failure === undefined ? [] : [cause === undefined ? failure : `${failure} (${cause})`]),
        `${milliseconds} ms`,
        size(bytes),
      ],
    };
  },
  operation: (fields) => {
    const { outcome, milliseconds, errors, restCalls, restBytes, bytes, oddRows } =
      fields as unknown as OperationFields;
    const parts = [
      `${outcome} ${milliseconds} ms`,
      ...counted(errors),
      `${restCalls} REST ${restCalls === 1 ? 'call' : 'calls'}`,
      ...(restCalls === 0 ? [] : [`${size(restBytes)} read`]),
      ...(bytes === undefined ? [] : [`${size(bytes)} sent`]),
      ...(oddRows === 0 ? [] : [`${oddRows} odd ${oddRows === 1 ? 'row' : 'rows'}`]),
    ];
    return { kind: 'GraphQL', style: outcome === 'success' ? 'green' : 'red', parts: [parts.join(', ')] };
  },
  'internal error': (fields) => {
    const { error, at } = fields as unknown as { readonly error: string; readonly at: readonly string[] };
    return { kind: 'ERROR', style: 'red', parts: ['internal error', error, ...at] };
  },
};

/** The fields of a line about a REST call. */
interface RestCallFields {
  readonly operation: string;
  /** Null if there was no response. */
  readonly status: number | null;
  readonly label: string | null;
  readonly failure?: string;
  readonly cause?: string;
  readonly milliseconds: number;
  readonly bytes: number;
}

/** The fields of a line about a GraphQL operation that are shown. */
interface OperationFields {
  readonly outcome: string;
  readonly milliseconds: number;
  readonly errors: Readonly<Record<string, number>>;
  readonly restCalls: number;
  readonly restBytes: number;
  readonly bytes?: number;
  readonly oddRows: number;
}

function counted(counts: Readonly<Record<string, number>>): string[] {
  return Object.entries(counts).map(([name, count]) => (count === 1 ? name : `${count} ${name}`));
}

const WARN = 40;
const ERROR = 50;

function describeAny(fields: Fields, msg: string, level: number): Description {
  const named = Object.entries(fields).map(
    ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  const parts = [msg, ...named];
  if (level >= ERROR) return { kind: 'ERROR', style: 'red', parts };
  return level >= WARN ? { kind: 'WARN', style: 'yellow', parts } : { kind: 'INFO', style: 'dim', parts };
}

function timeOfDay(time: number): string {
  const date = new Date(time);
  const [hours, minutes, seconds] = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits);
  return `${hours}:${minutes}:${seconds}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}

function cut(id: string): string {
  return id.length > MAX_ID_LENGTH ? `${id.slice(0, CUT_ID_LENGTH)}…` : id;
}

const units = ['B', 'kB', 'MB', 'GB'];
const threeDigits = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });

/** Bytes with three digits, such as `493 kB`. */
function size(bytes: number): string {
  let value = bytes;
  let unit = 0;
  // 999.5 would be rounded to 1000.
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${threeDigits.format(value)} ${units[unit]}`;
}
