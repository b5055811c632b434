import { DONE } from '../by-metric.ts';
import { NULL } from '../bytes.ts';
import { FieldError } from '../errors.ts';
import type { FieldType } from '../field.ts';
import { writeTexts } from '../lists.ts';
import type { Template } from '../template.ts';

/** The memory of a name, about, beside its characters. */
const BYTES_PER_NAME = 64;

/** `metricNames`: the distinct names, in the order of their first appearance. */
export const metricNames: FieldType = {
  make({ memory, isOfAll }) {
    const names = new Set<string>();
    const list: string[] = [];
    let next = 0;
    const seen = new Set<Template>();
    let held = 0;
    let hasBegun = false;
    return {
      begin() {
        hasBegun = true;
        next = 0;
        if (isOfAll) return;
        list.length = 0;
        memory.hold(-held);
        held = 0;
        names.clear();
        seen.clear();
      },
      add({ template, isLost, first }) {
        if (isLost) throw new FieldError('tooLargeRow', first);
        if (seen.has(template)) return;
        if (!template.isOfOneRow) seen.add(template);
        for (const { name } of template.metrics ?? []) {
          if (name === null || names.has(name)) continue;
          const bytes = BYTES_PER_NAME + 2 * name.length;
          memory.holdForField(bytes);
          held += bytes;
          names.add(name);
          list.push(name);
        }
      },
      write(out) {
        // Of all entries perhaps none has a list of rows.
        next = hasBegun ? writeTexts(out, list.length, next, (index) => list[index] as string) : DONE;
        if (!hasBegun) out.literal(NULL);
        return next !== DONE;
      },
    };
  },
};
