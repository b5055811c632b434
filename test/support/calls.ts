import type { SimulatedDataset } from '../../simulator/src/simulator.ts';
import { dataset, gate, type TestBed } from './harness.ts';

export const datasetOf = (id: string): SimulatedDataset => ({ ...dataset, metadata: { ...dataset.metadata, id } });

/** Holds every answer back until the gate is opened. */
export function hold({ simulator }: TestBed) {
  const held = gate();
  simulator.intercept(async () => {
    await held.opened;
    return undefined;
  });
  return held;
}
