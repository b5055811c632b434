type Labels = Readonly<Record<string, string>>;

/** One counter or gauge: the value of a name with a set of labels. */
interface Series {
  readonly name: string;
  readonly labels: Labels;
  value: number;
}

/** Counts by name and labels. */
export class Figures {
  readonly #series = new Map<string, Series>();

  /** Reads Prometheus' text format. */
  static parse(text: string): Figures {
    const figures = new Figures();
    for (const [, name = '', labels = '', value] of text.matchAll(/^([a-z_]\w*)(?:\{(.*)\})? (\S+)$/gim)) {
      const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, label = '', text = '']) => [label, text] as const);
      figures.add(name, Object.fromEntries(pairs), Number(value));
    }
    return figures;
  }

  add(name: string, labels: Labels = {}, value = 1): void {
    const key = keyOf(name, labels);
    const known = this.#series.get(key);
    if (known === undefined) this.#series.set(key, { name, labels, value });
    else known.value += value;
  }

  /** The sum of the values of a name, with these labels at least. */
  sum(name: string, labels: Labels = {}): number {
    const wanted = Object.entries(labels);
    return this.all()
      .filter((series) => series.name === name && wanted.every(([label, value]) => series.labels[label] === value))
      .reduce((sum, { value }) => sum + value, 0);
  }

  /** The values that a label of a name has. */
  values(name: string, label: string): string[] {
    return [...new Set(this.all().flatMap((series) => (series.name === name ? (series.labels[label] ?? []) : [])))];
  }

  all(): Readonly<Series>[] {
    return [...this.#series.values()];
  }
}

/** A figure as in Prometheus' text format. */
export function keyOf(name: string, labels: Labels): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
  return pairs.length === 0 ? name : `${name}{${pairs.join(',')}}`;
}
