import { checkCount } from '../by-metric.ts';
import { Bytes } from '../bytes.ts';
import type { FieldType } from '../field.ts';
import type { RowBatch } from '../row-batch.ts';
import { RowWriter } from '../row-writer.ts';

/** The first memory for the rows of a series. */
const FIRST_BYTES = 1 << 14;
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
    const fromIn = ({ first }: RowBatch) => Math.max(0, offset - first);
    const toIn = ({ first, count }: RowBatch) => Math.max(0, Math.min(count, end - first));
    const written = new Bytes(memory, FIRST_BYTES);
    let isFirst = true;
    return {
      begin: () => {
        written.rewind(0);
        isFirst = true;
      },
      add(all) {
        const [from, to] = [fromIn(all), toIn(all)];
        writer.begin(written, all, Math.min(from, to), to);
      },
      addMore(all) {
        if (writer.writeMore()) return true;
        const [from, to] = [fromIn(all), toIn(all)];
        if (from >= to) return false;
        // Each row has a comma before it.
        if (isFirst) written.replaceFirst(OPEN_LIST);
        isFirst = false;
        writer.report(errors, all, from, to, (row) => [all.first + row - offset]);
        return false;
      },
      write(out) {
        if (written.position === 0) written.byte(OPEN_LIST);
        written.byte(CLOSE_LIST);
        out.adopt(written);
        return false;
      },
      release: () => written.release(),
    };
  },
};
