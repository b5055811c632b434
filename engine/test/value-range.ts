import type { FieldType } from '../field.ts';

/** `valueRange`: the highest value of all metrics less the lowest one. It would be a file of engine/fields/ as it is. */
export const valueRange: FieldType = {
  make() {
    let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    return {
      begin() {
        [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
      },
      add(rows) {
        for (const { slot } of rows.template.metrics ?? [])
          for (const value of slot < 0 ? [] : rows.values(slot).subarray(0, rows.count)) {
            if (value < lowest) lowest = value;
            if (value > highest) highest = value;
          }
      },
      write(out) {
        out.text(highest < lowest ? 'null' : String(highest - lowest));
        return false;
      },
    };
  },
};
