import { isEventType } from '#libs/contracts';
import { Buckets, SECOND_MS, SECONDS_BUCKETS, type ServiceName } from '#libs/platform';
import type { EventOutcome, HandledEvent } from '../inbox/inbox.js';

/** Counts what one service has published and received since its transport was created. */
export class ServiceEventCounts {
  readonly sent = new Map<string, number>();
  /** The number of handled events, by type and then by outcome. */
  readonly handled = new Map<string, Map<EventOutcome, number>>();
  /** The duration of handlers in seconds, by type. */
  readonly durations = new Map<string, Buckets>();
  /** The number of buckets of the service's outbox that this process relays. */
  ownedBuckets = 0;

  noteSent(type: string): void {
    this.sent.set(type, (this.sent.get(type) ?? 0) + 1);
  }

  noteHandled(type: string, outcome: EventOutcome): void {
    const name = knownType(type);
    const outcomes = this.handled.get(name) ?? new Map<EventOutcome, number>();
    outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    this.handled.set(name, outcomes);
  }

  /**
   * Records the outcomes and durations of handled events. Call it after the transaction that handled them has
   * committed.
   */
  noteAll(events: HandledEvent[]): void {
    for (const { type, outcome, durationMs } of events) {
      this.noteHandled(type, outcome);
      if (durationMs !== undefined) this.noteDuration(type, durationMs / SECOND_MS);
    }
  }

  private noteDuration(type: string, seconds: number): void {
    const known = this.durations.get(type);
    const buckets = known ?? new Buckets(SECONDS_BUCKETS);
    if (!known) this.durations.set(type, buckets);
    buckets.add(seconds);
  }
}

export class EventCounts {
  private readonly services = new Map<ServiceName, ServiceEventCounts>();

  of(service: ServiceName): ServiceEventCounts {
    const known = this.services.get(service);
    if (known) return known;
    const counts = new ServiceEventCounts();
    this.services.set(service, counts);
    return counts;
  }
}

/**
 * Returns the type as a label. A message that cannot be read may name any type, so only declared types become labels.
 */
export function knownType(type: string): string {
  return isEventType(type) ? type : 'unknown';
}
