/** The faults of the next requests to an API. */
export interface ApiFaults {
  /** Number of changing calls that are carried out but whose answers are lost. */
  lostAnswers: number;
  /** Number of changing calls that never arrive; these precede the calls whose answers are lost. */
  lostRequests: number;
  /** Number of changing calls that arrive before those that are lost. */
  passedRequests: number;
  /** Number of refunds that are refused because the seller's balance is too low. */
  refusedRefunds: number;
}

/** Whether this refund is one of those to refuse. */
export function refusesRefund(faults: ApiFaults): boolean {
  if (faults.refusedRefunds <= 0) return false;
  faults.refusedRefunds -= 1;
  return true;
}
