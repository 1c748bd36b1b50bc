import { Controller, Get, Query } from '@nestjs/common';
import type { IndexSignals } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { SignalsService } from './signals.service.js';

@Controller('internal/signals')
export class SignalsController {
  constructor(private readonly signals: SignalsService) {}

  @Get()
  @AllowCallers('lookup')
  async of(@Query('name') name: string): Promise<IndexSignals> {
    return this.signals.of(String(name));
  }
}
