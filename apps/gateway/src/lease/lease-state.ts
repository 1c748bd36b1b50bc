/** Counts of reservations since the start: plain numbers, because every request updates them. */
export class LeaseCounts {
  /** Reservations for which a lease had room. */
  hits = 0;
  /** Reservations that had to wait for entitlement. */
  misses = 0;
  /** The number of leases requested, by entitlement's answer. */
  readonly asked = { granted: 0, insufficient: 0, elsewhere: 0, closed: 0, failed: 0 };
}

/** The state of a gateway's leases, for metrics. */
export interface LeaseState {
  counts: LeaseCounts;
  /** Leases that entitlement may keep open for us. */
  open: number;
  /** Credits that were charged but are not yet acknowledged. */
  unsettledCredits: number;
  /** Time since the last acknowledgement; 0 while there is nothing to acknowledge. */
  settlementAgeMs: number;
  journalBytes: number;
  /** The free bytes of the journal's disk. */
  journalFreeBytes: number;
  isJournalWritable: boolean;
}
