import type { FieldType } from '../field.ts';

/** `rowCount` */
export const rowCount: FieldType = {
  make: () => ({
    begin() {},
    add() {},
    write(out, count) {
      out.text(String(count));
      return false;
    },
  }),
};
