/** Counts of reservations since the start. They are plain numbers, because every request changes them. */
export class LeaseCounts {
  /** Reservations that found room on a lease. */
  hits = 0;
  /** Reservations that waited for entitlement. */
  misses = 0;
  /** Requests for leases, by entitlement's answer. */
  readonly asked = { granted: 0, insufficient: 0, elsewhere: 0, closed: 0, failed: 0 };
}

/** The state of a gateway's leases, for metrics. */
export interface LeaseState {
  counts: LeaseCounts;
  /** The number of leases that entitlement may have open for this gateway. */
  open: number;
  /** The credits that have been charged but not yet acknowledged. */
  unsettledCredits: number;
  /** Milliseconds since the last acknowledgement; 0 while there is nothing to acknowledge. */
  settlementAgeMs: number;
  journalBytes: number;
  /** The free bytes on the journal's disk. */
  journalFreeBytes: number;
  isJournalWritable: boolean;
}
