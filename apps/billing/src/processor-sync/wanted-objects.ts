import { Clock, SECOND_MS } from '#libs/platform';
import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { WorkQueue } from '#libs/work';
import type { ProcessorName, ProcessorRef } from '../processors/payment-processor.js';

export interface ObjectRef extends ProcessorRef {
  processor: ProcessorName;
}

/** An object to fetch from a processor. */
@Injectable()
export class WantedObjects extends WorkQueue<ObjectRef> {
  constructor(private readonly clock: Clock) {
    super({ name: 'processor-objects' });
  }

  /** Schedules the fetch of an object, as soon as possible; once more if it is being fetched. */
  async wantObject(transaction: Transaction, ref: ObjectRef, delaySeconds = 0): Promise<void> {
    const { processor, kind, id } = ref;
    await this.want(transaction, {
      name: `${processor} ${kind} ${id}`,
      payload: { processor, kind, id },
      delaySeconds,
    });
  }

  /** Schedules the fetch of an object at a future time; does nothing if that time is over. */
  async wantObjectAt(transaction: Transaction, ref: ObjectRef, at: Date): Promise<void> {
    const ms = at.getTime() - this.clock.now().getTime();
    if (ms > 0) await this.wantObject(transaction, ref, Math.ceil(ms / SECOND_MS));
  }
}
