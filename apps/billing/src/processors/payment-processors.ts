import { InvalidRequest, NotFound } from '#libs/platform';
import type { PaymentProcessor, ProcessorName } from './payment-processor.js';

export class PaymentProcessors {
  private readonly byName: ReadonlyMap<string, PaymentProcessor>;

  constructor(readonly all: readonly PaymentProcessor[]) {
    this.byName = new Map(all.map((processor) => [processor.name, processor]));
  }

  /** @returns undefined for a processor that is no longer configured here. */
  find(name: ProcessorName): PaymentProcessor | undefined {
    return this.byName.get(name);
  }

  /** @throws NotFound for a processor that is not configured here. */
  get(name: ProcessorName | string): PaymentProcessor {
    const processor = this.byName.get(name);
    if (!processor) throw new NotFound();
    return processor;
  }

  /** @throws InvalidRequest for a processor that customers cannot choose here. */
  checkOffered(name: ProcessorName): void {
    if (this.byName.has(name)) return;
    throw new InvalidRequest([{ field: 'processor', message: 'is not offered here' }]);
  }
}
