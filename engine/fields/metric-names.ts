import type { FieldType } from '../field.ts';
import type { Template } from '../template.ts';

/** The memory of a name, about, beside its characters. */
const BYTES_PER_NAME = 64;

/** `metricNames`: the distinct names, in the order of their first appearance. */
export const metricNames: FieldType = {
  make({ memory, isOfAll }) {
    const names = new Set<string>();
    const seen = new Set<Template>();
    let held = 0;
    let hasBegun = false;
    return {
      begin() {
        hasBegun = true;
        if (isOfAll) return;
        memory.hold(-held);
        held = 0;
        names.clear();
        seen.clear();
      },
      add({ template }) {
        if (seen.has(template)) return;
        if (!template.isOfOneRow) seen.add(template);
        for (const { name } of template.metrics ?? []) {
          if (name === null || names.has(name)) continue;
          const bytes = BYTES_PER_NAME + 2 * name.length;
          memory.holdForField(bytes);
          held += bytes;
          names.add(name);
        }
      },
      write(out) {
        // Of all entries perhaps none has a list of rows.
        out.text(hasBegun ? JSON.stringify([...names]) : 'null');
        return false;
      },
    };
  },
};
