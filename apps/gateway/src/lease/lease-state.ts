/** Counts of reservations since the start. They are plain numbers, because every request changes them. */
export class LeaseCounts {
  hits = 0;
  /** Reservations that found no room at once. */
  misses = 0;
  /** Requests for leases, by outcome. */
  readonly asked = { granted: 0, insufficient: 0, elsewhere: 0, closed: 0, failed: 0 };
}

export interface LeaseState {
  counts: LeaseCounts;
  open: number;
  unsettledCredits: number;
  /** Milliseconds since entitlement last accepted a settlement; 0 while no lease is open. */
  settlementAgeMs: number;
  journalBytes: number;
  journalFreeBytes: number;
  isJournalWritable: boolean;
}
