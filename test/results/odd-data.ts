import { ofDataset, type TestBed } from '../support/harness.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type Path = (string | number)[];

/** Values of another type than the specification gives a field. */
export const wrongValues = {
  text: [5, 0, true, false, [], ['x'], {}, { name: 'x' }],
  int32: ['3', '', 1.5, true, [], [3], {}, 2 ** 31],
  int64: ['3', '', 1.5, true, false, [], [3], {}],
  double: ['3', '', 'NaN', true, false, [], [3], {}],
  texts: ['x', '', 5, true, {}, [5], ['x', 5], ['x', true], ['x', ['y']], [{}, null]],
  list: ['x', '', 5, 0, true, false, {}, { 0: {} }],
} satisfies Record<string, Json[]>;

export const RESULTS = ['dataset', 'results'];

export const ask = ({ query }: TestBed, fields: string) => query(ofDataset(fields));
