import { parser } from '@prometheus-io/lezer-promql';

/** One condition on a label: `outcome=~"timeout|shutting_down"`. */
export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** What a query asks for. */
export interface ParsedQuery {
  /** The metrics, each with its conditions. */
  readonly selectors: readonly { readonly metric: string; readonly matchers: readonly Matcher[] }[];
  /** The labels in `by`, `without`, `on` and `ignoring`. */
  readonly groupings: readonly string[];
}

/**
 * Parses a query in PromQL.
 *
 * @throws Error with the part that is no PromQL
 */
export function parseQuery(query: string): ParsedQuery {
  const selectors: { metric: string; matchers: Matcher[] }[] = [];
  const groupings: string[] = [];
  const matcher: string[] = [];
  parser.parse(query).iterate({
    enter: ({ type, from, to, node }) => {
      const text = query.slice(from, to);
      const parent = node.parent?.name;
      if (type.isError) throw new Error(`not PromQL: ${query.slice(0, from)} >>> ${query.slice(from)}`);
      if (type.name === 'VectorSelector') selectors.push({ metric: '', matchers: [] });
      const current = selectors.at(-1);
      if (type.name === 'Identifier' && current !== undefined) current.metric = text;
      if (type.name === 'LabelName' && parent === 'GroupingLabels') groupings.push(text);
      if (parent === 'UnquotedLabelMatcher') matcher.push(text);
    },
    leave: ({ type }) => {
      if (type.name !== 'UnquotedLabelMatcher') return;
      const [label = '', operator = '', value = ''] = matcher.splice(0);
      selectors.at(-1)?.matchers.push({ label, operator, value: JSON.parse(value) });
    },
  });
  return { selectors, groupings };
}
