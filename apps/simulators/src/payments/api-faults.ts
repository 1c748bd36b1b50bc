/** The faults that the next requests to an API meet. */
export interface ApiFaults {
  /** So many calls that change something are carried out and their answers lost. */
  lostAnswers: number;
  /** So many of them are lost on their way, before those. */
  lostRequests: number;
  /** So many refunds are refused: the seller's balance there is too low. */
  refusedRefunds: number;
}

/** Whether this refund is one of those to refuse. */
export function refusesRefund(faults: ApiFaults): boolean {
  if (faults.refusedRefunds <= 0) return false;
  faults.refusedRefunds -= 1;
  return true;
}
