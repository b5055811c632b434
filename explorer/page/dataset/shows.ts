/** What shows the values of a view: the tabs of a dataset's page, with their names. */
export const shows = { chart: 'Chart', map: 'Map', heat: 'Heat map', histogram: 'Histogram', table: 'Table' } as const;
export type Show = keyof typeof shows;

/** The tabs that need no means by period. */
export const showsOfRows: Partial<typeof shows> = { chart: shows.chart, table: shows.table };

/** Reads a tab's name in a link; undefined if it is none. */
export function showIn(text: string | null): Show | undefined {
  return (Object.keys(shows) as Show[]).find((show) => show === text);
}
