import { type RefObject, useCallback, useLayoutEffect, useState } from 'react';
import { LEADING_COLUMNS } from '../../../src/core/csv-field.ts';
import { queryResponse } from './response-client.ts';
import { useQuery } from './use-query.ts';
import type { DatasetSummary } from './worker/protocol.ts';

/** The least and the greatest width of a column, in pixels. */
export const MIN_WIDTH = 48;
export const MAX_WIDTH = 1200;

/** A column begins at most this wide, in characters: a longer text is cut until somebody widens the column. */
const MAX_CHARACTERS = 40;

/** The space beside the text of a cell, in pixels, and that for the mark of the sort in a header, in characters. */
const PADDING = 18;
const MARK = 3;

/** The widths of the table's columns, and what changes them. */
export interface ColumnWidths {
  /** The width of a column in pixels. */
  of(column: number): number;
  /** Sets the width of a column; undefined fits it to its content. */
  set(column: number, width: number | undefined): void;
}

/**
 * The widths of the table's columns: each fits its content and its name until somebody changes it.
 *
 * @param element an element of the table's font
 */
export function useColumnWidths(
  responseId: number,
  index: number,
  { metrics }: DatasetSummary,
  element: RefObject<HTMLElement | null>,
): ColumnWidths {
  const [chosen, setChosen] = useState<ReadonlyMap<number, number>>(new Map());
  const [character, setCharacter] = useState(8);
  useLayoutEffect(() => {
    if (element.current !== null) setCharacter(widthOfZero(element.current));
  }, [element]);
  const { result: lengths } = useQuery(`${responseId} ${index}`, () =>
    queryResponse(responseId, 'columnLengths', index),
  );
  const set = useCallback((column: number, width: number | undefined) => {
    setChosen((all) => {
      const next = new Map(all);
      if (width === undefined) next.delete(column);
      else next.set(column, Math.min(Math.max(width, MIN_WIDTH), MAX_WIDTH));
      return next;
    });
  }, []);
  const fit = (column: number) => {
    const name = LEADING_COLUMNS[column] ?? metrics[column - LEADING_COLUMNS.length] ?? '';
    const characters = Math.max(name.length + MARK, lengths?.[column] ?? 0);
    return Math.ceil(Math.min(characters, MAX_CHARACTERS) * character) + PADDING;
  };
  return { of: (column) => chosen.get(column) ?? fit(column), set };
}

/** The width of a digit in the font of an element, in pixels. Most letters are narrower. */
function widthOfZero(element: HTMLElement): number {
  const context = document.createElement('canvas').getContext('2d');
  if (context === null) throw new Error('This browser cannot measure text.');
  const { fontSize, fontFamily } = getComputedStyle(element);
  context.font = `${fontSize} ${fontFamily}`;
  return context.measureText('0').width;
}
