/** Maximum number of concurrent deliveries to one webhook. */
const PER_ENDPOINT_MAX = 4;

/**
 * Decides to which webhooks events may be sent now. A webhook that does not answer gets one delivery at a time, and all
 * such webhooks together get at most half of the slots, so that they do not delay the others.
 */
export class DeliverySlots {
  private readonly busy = new Map<string, number>();
  private failing = 0;

  constructor(private readonly size: number) {}

  /** @returns the function that frees the slot; undefined if no slot is free. */
  take(webhookId: string, isFailing: boolean): (() => void) | undefined {
    const busy = this.busy.get(webhookId) ?? 0;
    if (busy >= (isFailing ? 1 : PER_ENDPOINT_MAX)) return undefined;
    if (isFailing && this.failing >= this.size / 2) return undefined;
    this.busy.set(webhookId, busy + 1);
    if (isFailing) this.failing += 1;
    return () => this.free(webhookId, isFailing);
  }

  private free(webhookId: string, isFailing: boolean): void {
    const left = (this.busy.get(webhookId) ?? 1) - 1;
    if (left === 0) this.busy.delete(webhookId);
    else this.busy.set(webhookId, left);
    if (isFailing) this.failing -= 1;
  }
}
