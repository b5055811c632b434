// Makes the mutants of a source: the same text with one small fault. It leaves out types, log messages, texts of errors, and
// what only gives way to other work.
import { parseAst } from 'vitest/node';

/** One fault in a source. */
export interface Mutant {
  /** Where the replaced text begins and ends, as offsets of the source. */
  readonly start: number;
  readonly end: number;
  readonly operator: string;
  readonly replacement: string;
  /** Whether the code runs when its module is loaded, by where it is in the text. */
  readonly isStatic: boolean;
}

/** A node of the syntax tree (ESTree), as generic as a walk needs it. */
interface Node {
  type: string;
  start: number;
  end: number;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the type
  [field: string]: any;
}

/** What takes the place of a binary or assignment operator. */
const swapped: Readonly<Record<string, string>> = {
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '==': '!=',
  '!=': '==',
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '&': '|',
  '|': '&',
  '^': '&',
  '<<': '>>',
  '>>': '<<',
  '>>>': '<<',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
  '*=': '/=',
  '/=': '*=',
  '|=': '&=',
  '&=': '|=',
  '??=': '=',
  '||=': '=',
};

/** A text that people read, as of the log or of an error: it has words. */
const isMessage = (text: string) => /\S\s+\S/.test(text) || /^\s+|\s+$/.test(text);
/** Constants whose exact value is felt in time or memory only. */
const TUNING = /(?:_MS|_BYTES|PER_TIME_SLICE|PER_TURN|PER_STEP)$/;

/** The mutants of a source, in the order of their places. */
export function mutantsOf(source: string): Mutant[] {
  const mutants: Mutant[] = [];
  const conditions = new Set<Node>();
  const text = (node: Node) => source.slice(node.start, node.end);

  function add(node: { start: number; end: number }, operator: string, replacement: string, depth: number): void {
    const { start, end } = node;
    mutants.push({ start, end, operator, replacement, isStatic: depth === 0 });
  }

  /** The place of an operator. */
  function operatorAfter(left: Node, operator: string): { start: number; end: number } {
    // A parenthesis may come between them.
    const start = source.indexOf(operator, left.end);
    return { start, end: start + operator.length };
  }

  /** Nothing else negates it: what sees the negation also sees one of these. */
  function condition(test: Node | null | undefined, values: readonly string[], depth: number): void {
    if (!test || test.type === 'Literal') return;
    conditions.add(test);
    for (const value of values) add(test, 'condition', value, depth);
  }

  function visit(node: Node, parent: Node, depth: number): void {
    switch (node.type) {
      case 'IfStatement':
        // What only pauses may pause at another time.
        if (isPause(node.consequent) && !node.alternate) return;
        condition(node.test, ['true', 'false'], depth);
        break;
      case 'ConditionalExpression':
        condition(node.test, ['true', 'false'], depth);
        break;
      case 'WhileStatement':
      case 'ForStatement':
      case 'DoWhileStatement':
        condition(node.test, ['false'], depth);
        break;
      case 'LogicalExpression': {
        const { left, right, operator } = node as Node & { left: Node; right: Node; operator: string };
        const to = swapped[operator];
        if (to !== undefined) add(operatorAfter(left, operator), 'operator', to, depth);
        add(node, 'left side', `(${text(left)})`, depth);
        add(node, 'right side', `(${text(right)})`, depth);
        break;
      }
      case 'BinaryExpression': {
        const { left, right, operator } = node as Node & { left: Node; right: Node; operator: string };
        const to = swapped[operator];
        if (to === undefined || (operator === '+' && (isText(left) || isText(right)))) break;
        if (/^[=!]/.test(operator) && conditions.has(node)) break;
        add(operatorAfter(left, operator), 'operator', to, depth);
        break;
      }
      case 'AssignmentExpression': {
        const to = swapped[node.operator];
        if (to === undefined || (node.operator === '+=' && isText(node.right))) break;
        add(operatorAfter(node.left, node.operator), 'operator', to, depth);
        break;
      }
      case 'UnaryExpression':
        if ((node.operator === '!' && !conditions.has(node)) || node.operator === '-')
          add(node, 'sign', `(${text(node.argument)})`, depth);
        break;
      case 'MemberExpression':
      case 'CallExpression':
        if (node.optional) {
          const base = (node.type === 'CallExpression' ? node.callee : node.object) as Node;
          const dot = node.type === 'MemberExpression' && !node.computed;
          const start = source.indexOf('?.', base.end);
          add({ start, end: start + 2 }, 'optional chaining', dot ? '.' : '', depth);
        }
        break;
      case 'Literal':
        literal(node, parent, depth);
        break;
      case 'TemplateLiteral':
        if (parent.type !== 'TaggedTemplateExpression' && !node.quasis.some((part: Node) => isMessage(part.value.raw)))
          add(node, 'text', "''", depth);
        break;
      case 'ExpressionStatement':
        // A generator that pauses at another time does the same.
        if (!isPause(node) && node.directive == null && node.expression.callee?.type !== 'Super')
          add(node, 'statement', ';', depth);
        break;
      case 'ThrowStatement':
      case 'ContinueStatement':
      case 'BreakStatement':
        add(node, 'statement', ';', depth);
        break;
      case 'ReturnStatement':
        if (!node.argument) add(node, 'statement', ';', depth);
        else if (hasOtherResult(node.argument)) add(node.argument, 'result', 'undefined', depth);
        break;
      case 'ArrowFunctionExpression':
        if (node.body.type !== 'BlockStatement' && hasOtherResult(node.body))
          add(node.body, 'result', 'undefined', depth + 1);
        break;
    }
    walk(node, depth);
  }

  function literal(node: Node, parent: Node, depth: number): void {
    if (typeof node.value === 'boolean') add(node, 'boolean', String(!node.value), depth);
    else if (typeof node.value === 'number') {
      if (parent.type === 'VariableDeclarator' && depth === 0 && TUNING.test(parent.id.name ?? '')) return;
      add(node, 'number', String(node.value + 1), depth);
    } else if (node.bigint != null) add(node, 'number', `${BigInt(node.bigint) + 1n}n`, depth);
    else if (typeof node.value === 'string' && node.value !== '' && !isMessage(node.value)) {
      const isName = parent.key === node || parent.type === 'ExportNamedDeclaration';
      if (!isName) add(node, 'text', "''", depth);
    }
  }

  function walk(node: Node, depth: number): void {
    const inner = isFunction(node) ? depth + 1 : depth;
    for (const [field, value] of Object.entries(node)) {
      if (node.type === 'NewExpression' && field === 'arguments' && /Error$/.test(node.callee.name ?? '')) {
        // The text of an error; what follows it is for programs.
        for (const argument of value.slice(1)) child(argument, node, inner);
        continue;
      }
      for (const item of Array.isArray(value) ? value : [value]) child(item, node, inner);
    }
  }

  function child(value: unknown, parent: Node, depth: number): void {
    if (value === null || typeof value !== 'object' || typeof (value as Node).type !== 'string') return;
    const node = value as Node;
    if (/^TS(?:As|NonNull|Satisfies)/.test(node.type) || node.type === 'TSTypeAssertion') {
      // Around an expression, which may take part in more than its type.
      child(node.expression, parent, depth);
    } else if (!/^TS|^Import|^ExportAll/.test(node.type)) visit(node, parent, depth);
  }

  const program = parseAst(source, { lang: 'ts' }) as unknown as Node;
  walk(program, 0);
  return mutants.toSorted((one, other) => one.start - other.start || one.end - other.end);
}

/** The source with the fault. */
export function mutated(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

/** Whether `undefined` is another result, and no other mutant has nearly the same. */
function hasOtherResult(node: Node): boolean {
  return node.name !== 'undefined' && typeof node.value !== 'boolean';
}

function isFunction({ type }: Node): boolean {
  return /^(?:Arrow)?Function/.test(type);
}

function isText({ type, value }: Node): boolean {
  return type === 'TemplateLiteral' || typeof value === 'string';
}

/** Whether a statement does nothing but `yield;`, `yield undefined;`, `yield PAUSE;` or a yielder's pause. */
function isPause(node: Node): boolean {
  if (node.type === 'BlockStatement') return node.body.length === 1 && isPause(node.body[0]);
  if (node.type !== 'ExpressionStatement') return false;
  const { type, argument, delegate } = node.expression as Node;
  if (type === 'YieldExpression') return !delegate && (!argument || /^(?:PAUSE|undefined)$/.test(argument.name ?? ''));
  return (
    type === 'AwaitExpression' &&
    /[yY]ielder$/.test(argument.callee?.object?.name ?? argument.callee?.object?.property?.name ?? '')
  );
}
