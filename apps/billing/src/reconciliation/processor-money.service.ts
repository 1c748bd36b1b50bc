import { Injectable } from '@nestjs/common';
import { DAY_MS } from '#libs/platform';
import type { ProcessorName, ProcessorRef } from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../processor-sync/sync.service.js';
import { type Comparisons, NotAnswered } from './comparisons.js';
import type { Finding } from './finding.js';
import { ReconciliationMaintenanceRepository } from './reconciliation.repository.js';

/** Finds money that only the processors have on record (I14), by comparing their lists with our rows. */
@Injectable()
export class ProcessorMoneyService {
  constructor(
    private readonly processors: PaymentProcessors,
    private readonly repository: ReconciliationMaintenanceRepository,
    private readonly syncing: SyncService,
  ) {}

  /**
   * Fetches objects that we have no row for. These objects, and any lists that could not be read, are findings. An
   * object that remains without a row waits for an operator.
   */
  async findUnknown(since: Date, until: Date, comparisons: Comparisons): Promise<void> {
    for (const processor of this.processors.all) {
      for (let start = since; start < until; start = new Date(start.getTime() + DAY_MS)) {
        const end = new Date(Math.min(start.getTime() + DAY_MS, until.getTime()));
        const of = { accountId: null, subject: `${processor.name} ${start.toISOString()}` };
        await comparisons.make(of, async () => {
          const listed = await processor.listMoney(start, end);
          if (listed.outcome === 'done') {
            await this.compareListed(processor.name, listed.value, comparisons);
            return undefined;
          }
          const detail = `the processor's list: ${listed.outcome}`;
          if (listed.outcome === 'unknown') throw new NotAnswered(detail);
          const why = `${detail} (${listed.code}): ${listed.message}`;
          return { kind: 'processor', ...of, detail: why, isHealed: false };
        });
      }
    }
  }

  private async compareListed(
    name: ProcessorName,
    listed: readonly ProcessorRef[],
    comparisons: Comparisons,
  ): Promise<void> {
    for (const ref of await this.repository.listUnknown(name, listed)) {
      const of = { accountId: null, subject: `${name} ${ref.kind} ${ref.id}` };
      await comparisons.make(of, async () => {
        const found = await this.ofUnknown(name, ref);
        return found && { kind: 'processor', ...of, ...found };
      });
    }
  }

  private async ofUnknown(
    name: ProcessorName,
    ref: ProcessorRef,
  ): Promise<Pick<Finding, 'detail' | 'isHealed'> | undefined> {
    const result = await this.syncing.sync({ processor: name, ...ref });
    const isKnown = (await this.repository.listUnknown(name, [ref])).length === 0;
    if (isKnown) return { detail: 'no callback about it had arrived', isHealed: true };
    // A dispute that reversed nothing in the end, for example because we won it, is not stored.
    if (result === 'synced') return undefined;
    const detail = `only the processor has it: ${result}`;
    if (result === 'unknown') throw new NotAnswered(detail);
    return { detail, isHealed: false };
  }
}
