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
  constructor() {
    super({ name: 'processor-objects' });
  }

  /** Schedules the fetch of an object, as soon as possible; once more if it is being fetched. */
  async wantObject(transaction: Transaction, ref: ObjectRef): Promise<void> {
    const { processor, kind, id } = ref;
    await this.want(transaction, {
      name: `${processor} ${kind} ${id}`,
      payload: { processor, kind, id },
    });
  }
}
