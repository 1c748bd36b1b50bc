import { Injectable } from '@nestjs/common';
import { DAY_MS } from '#libs/platform';
import type { PaymentProcessor, ProcessorRef } from '../processors/payment-processor.js';
import { PaymentProcessors } from '../processors/payment-processors.js';
import { SyncService } from '../processor-sync/sync.service.js';
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
   * Fetches objects that we have no row for. Reports them, and lists that could not be read. An object that remains
   * without a row waits for an operator.
   */
  async findUnknown(since: Date, until: Date): Promise<Finding[]> {
    const findings: Finding[] = [];
    for (const processor of this.processors.all) {
      for (let start = since; start < until; start = new Date(start.getTime() + DAY_MS)) {
        const end = new Date(Math.min(start.getTime() + DAY_MS, until.getTime()));
        findings.push(...(await this.ofStretch(processor, start, end)));
      }
    }
    return findings;
  }

  private async ofStretch(processor: PaymentProcessor, start: Date, end: Date): Promise<Finding[]> {
    const listed = await processor.listMoney(start, end);
    if (listed.outcome !== 'done') {
      const subject = `${processor.name} ${start.toISOString()}`;
      return [finding(subject, `the processor's list: ${listed.outcome}`, false)];
    }
    const findings: Finding[] = [];
    for (const ref of await this.repository.listUnknown(processor.name, listed.value)) {
      const found = await this.ofUnknown(processor, ref);
      if (found) findings.push(found);
    }
    return findings;
  }

  private async ofUnknown(
    { name }: PaymentProcessor,
    ref: ProcessorRef,
  ): Promise<Finding | undefined> {
    const result = await this.syncing.sync({ processor: name, ...ref });
    const isKnown = (await this.repository.listUnknown(name, [ref])).length === 0;
    // A dispute that reversed nothing in the end, for example because we won it, is not stored.
    if (!isKnown && result === 'synced') return undefined;
    const detail = isKnown
      ? 'no callback about it had arrived'
      : `only the processor has it: ${result}`;
    return finding(`${name} ${ref.kind} ${ref.id}`, detail, isKnown);
  }
}

const finding = (subject: string, detail: string, isHealed: boolean): Finding => {
  return { kind: 'processor', accountId: null, subject, detail, isHealed };
};
