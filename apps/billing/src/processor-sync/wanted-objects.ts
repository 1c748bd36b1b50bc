import { Injectable } from '@nestjs/common';
import type { Transaction } from '#libs/database';
import { Clock, SECOND_MS } from '#libs/platform';
import { LATER_MAX_SECONDS, WorkQueue } from '#libs/work';
import type { ProcessorName, ProcessorRef } from '../processors/payment-processor.js';

export interface ObjectRef extends ProcessorRef {
  processor: ProcessorName;
}

/** In a name, separates the object from the time of its fetch. */
const AT = ' at ';

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
    const name = `${nameOf(ref)}${AT}${at.toISOString()}`;
    const delaySeconds = this.waitOf(name);
    if (delaySeconds === 0) return;
    await this.want(transaction, { name, payload: payloadOf(ref), delaySeconds });
  }

  /**
   * Returns the seconds until the time of a fetch, at most the maximum for work; 0 if the time has passed or the fetch
   * has none. A fetch may be claimed before its time, which may be further away than work may wait.
   */
  waitOf(name: string): number {
    const [, at] = name.split(AT);
    if (at === undefined) return 0;
    const seconds = Math.ceil((Date.parse(at) - this.clock.now().getTime()) / SECOND_MS);
    return Math.min(Math.max(seconds, 0), LATER_MAX_SECONDS);
  }
}
const nameOf = ({ processor, kind, id }: ObjectRef) => `${processor} ${kind} ${id}`;
const payloadOf = ({ processor, kind, id }: ObjectRef): ObjectRef => ({ processor, kind, id });
