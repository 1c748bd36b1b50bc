import { Controller, HttpCode, Post } from '@nestjs/common';
import type { ReconciliationAnswer } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { ReconciliationService } from './reconciliation.service.js';

@Controller('internal/operator/reconciliations')
@AllowCallers('cli')
export class ReconciliationController {
  constructor(private readonly reconciliation: ReconciliationService) {}

  @Post()
  @HttpCode(200)
  async run(): Promise<ReconciliationAnswer> {
    return this.reconciliation.run();
  }
}
