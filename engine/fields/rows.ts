import { checkCount } from '../by-metric.ts';
import { Bytes } from '../bytes.ts';
import type { FieldType } from '../field.ts';
import { RowWriter } from '../row-writer.ts';

const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;

/** `rows(first: Int, offset: Int) { valueDate value(metric: String!) metrics(metrics: [String!]) { name value } }` */
export const rows: FieldType = {
  check: (args) => checkCount(args, 'first') ?? checkCount(args, 'offset'),
  make({ selected, memory, errors }) {
    const { args } = selected;
    const writer = new RowWriter(selected, ',');
    const offset = Number(args.offset ?? 0);
    const end = offset + Number(args.first ?? Number.POSITIVE_INFINITY);
    const written = new Bytes(memory, 4096);
    return {
      begin: () => written.rewind(0),
      add(all) {
        const from = Math.max(0, offset - all.first);
        const to = Math.min(all.count, end - all.first);
        if (from >= to) return;
        const isFirst = written.position === 0;
        writer.write(written, all, from, to);
        // Each row has a comma before it.
        if (isFirst) written.replaceFirst(OPEN_LIST);
        writer.report(errors, all, from, to, (row) => [all.first + row - offset]);
      },
      write(out) {
        if (written.position === 0) written.byte(OPEN_LIST);
        written.byte(CLOSE_LIST);
        out.adopt(written);
        return false;
      },
    };
  },
};
