import { Injectable } from '@nestjs/common';
import { Database, type Transaction } from '#libs/database';
import type { ReplayAnswer } from '#libs/contracts';
import { Clock, NotFound, crashPoint } from '#libs/platform';
import type { ProcessorName } from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { CallbackNotChecked, CallbackRejected } from './callbacks.errors.js';
import { CallbacksRepository, type StoredCallback } from './callbacks.repository.js';

/**
 * Receives callbacks. Each callback is verified, stored once and answered; then the object that it names is fetched.
 */
@Injectable()
export class CallbacksService {
  constructor(
    private readonly database: Database,
    private readonly callbacks: CallbacksRepository,
    private readonly syncs: SyncService,
    private readonly processors: PaymentProcessors,
    private readonly clock: Clock,
  ) {}

  /**
   * @throws CallbackRejected; CallbackNotChecked, so that the processor sends the callback again; NotFound for an
   *   unknown processor.
   */
  async receive(name: string, raw: Buffer, headers: Record<string, unknown>): Promise<void> {
    const processor = this.processors.get(name);
    const verdict = await processor.verifyCallback(raw, headers);
    if (verdict.verdict === 'undecided') throw new CallbackNotChecked(verdict.cause);
    const receivedAt = this.clock.now();
    if (verdict.verdict === 'rejected') throw new CallbackRejected(processor.name, verdict.reason);
    const { event } = verdict;
    await this.database.transaction((transaction) =>
      this.store(transaction, {
        processor: processor.name,
        receivedAt,
        raw,
        event,
        source: 'callback',
      }),
    );
    crashPoint('callback.after-commit');
  }

  /** Stores an event once and schedules the fetch of its object. @returns false if the event was already stored. */
  async store(transaction: Transaction, callback: StoredCallback): Promise<boolean> {
    if (!(await this.callbacks.insert(transaction, callback))) return false;
    const { processor, event } = callback;
    if (event.ref) await this.syncs.want(transaction, { processor, ...event.ref });
    return true;
  }

  /**
   * Fetches the object of a stored callback again, as if the callback were redelivered, so that nothing counts twice.
   * @throws NotFound for a callback that is unknown or names none of our objects.
   */
  async replay(id: string): Promise<ReplayAnswer> {
    const ref = await this.database.transaction((transaction) =>
      this.callbacks.find(transaction, id),
    );
    if (!ref?.kind) throw new NotFound();
    const { processor, kind, externalId } = ref;
    const result = await this.syncs.sync({ processor, kind, id: externalId });
    return { processor, kind, externalId, result };
  }

  async readCursor(transaction: Transaction, processor: ProcessorName): Promise<Date | undefined> {
    return this.callbacks.readCursor(transaction, processor);
  }

  async putCursor(transaction: Transaction, processor: ProcessorName, cursor: Date): Promise<void> {
    await this.callbacks.putCursor(transaction, processor, cursor);
  }
}
