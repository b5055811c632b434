import type { Rig } from '../rig.ts';
import type { OtherData } from '../subgraphs/others.ts';

/** What a case has: a gateway, and the data of the catalog and of the inspections. */
export interface CaseRig extends Rig {
  readonly others: OtherData;
}

/** Checks that must pass behind every gateway. Where gateways differ, they check the gateway's habits. */
export type Cases = Readonly<Record<string, (rig: CaseRig) => Promise<void>>>;
