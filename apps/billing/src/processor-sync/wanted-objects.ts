import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, SECOND_MS } from '#libs/platform';
import { LATER_MAX_SECONDS, WorkQueue } from '#libs/work';
import type { ProcessorName, ProcessorRef } from '../processors/payment-processor.js';

export interface ObjectRef extends ProcessorRef {
  processor: ProcessorName;
}

@Injectable()
export class WantedObjects extends WorkQueue<ObjectRef> {
  constructor(private readonly clock: Clock) {
    super({ name: 'processor-objects' });
  }

  /** Schedules the fetch of an object, as soon as possible. If the object is being fetched, schedules another fetch. */
  async wantObject(transaction: Transaction, ref: ObjectRef): Promise<void> {
    await this.want(transaction, { name: nameOf(ref), payload: payloadOf(ref) });
  }

  /**
   * Schedules an additional fetch at a future time. Does nothing if that time has passed. The fetch has its own name in
   * the queue, so that an earlier fetch of the object does not replace it.
   */
  async wantObjectAt(transaction: Transaction, ref: ObjectRef, at: Date): Promise<void> {
    const seconds = Math.ceil((at.getTime() - this.clock.now().getTime()) / SECOND_MS);
    if (seconds <= 0) return;
    await this.want(transaction, {
      name: `${nameOf(ref)} at ${at.toISOString()}`,
      payload: payloadOf(ref),
      // A processor whose clock is weeks ahead must not prevent its payments from being stored.
      delaySeconds: Math.min(seconds, LATER_MAX_SECONDS),
    });
  }
}

const nameOf = ({ processor, kind, id }: ObjectRef) => `${processor} ${kind} ${id}`;
const payloadOf = ({ processor, kind, id }: ObjectRef): ObjectRef => ({ processor, kind, id });
