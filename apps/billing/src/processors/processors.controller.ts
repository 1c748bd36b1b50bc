import { Controller, Get } from '@nestjs/common';
import type { ProcessorsAnswer } from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { PaymentProcessors } from './payment-processors.js';
import { toProcessorAnswer } from './processor-answer.js';

/** What customers can choose between at a checkout, and how the choices differ. */
@Controller('internal/processors')
@AllowCallers('gateway')
export class ProcessorsController {
  constructor(private readonly processors: PaymentProcessors) {}

  @Get()
  list(): ProcessorsAnswer {
    return { processors: this.processors.all.map((one) => toProcessorAnswer(one)) };
  }
}
