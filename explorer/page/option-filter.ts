import type { Option } from './outline.ts';
import { containsText } from './text-filter.ts';

/** What a list of options is filtered by. */
export interface OptionFilter {
  /** Only options whose name or id contains this text, in any case. */
  readonly text: string;
  /** Only options of this category; empty: of any. */
  readonly category: string;
}

/** The filter that lets all options through. */
export const anyOption: OptionFilter = { text: '', category: '' };

/** Whether a filter lets an option through. */
export function isFound({ id, name, categories = [] }: Option, { text, category }: OptionFilter): boolean {
  return containsText(text, name, id) && (category === '' || categories.includes(category));
}

/** The categories of some options, each once, in the order of the alphabet. */
export function categoriesOf(options: readonly Option[]): string[] {
  return [...new Set(options.flatMap(({ categories = [] }) => categories))].sort();
}
