/** The space of rows of a table that are not in the page, because they are not visible. */
export function RowsAway({ height, columns }: { height: number; columns: number }) {
  if (height <= 0) return null;
  return (
    <tr className="response-rows-away">
      <td colSpan={columns} style={{ height }} />
    </tr>
  );
}
