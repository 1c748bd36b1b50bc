export interface ApiFaults {
  /** Number of state-changing calls that are carried out but whose answers are lost. */
  lostAnswers: number;
  /** Number of state-changing calls that never arrive; they precede the calls whose answers are lost. */
  lostRequests: number;
  /** Number of state-changing calls that arrive before the first one of `lostRequests` is lost. */
  passedRequests: number;
  /** Number of refunds that are refused because the seller's balance is too low. */
  refusedRefunds: number;
}

/** Whether to refuse this refund; each refusal lowers `refusedRefunds` by one. */
export function refusesRefund(faults: ApiFaults): boolean {
  if (faults.refusedRefunds <= 0) return false;
  faults.refusedRefunds -= 1;
  return true;
}
