import { Controller } from '@nestjs/common';
import { PROCESSORS, type ProcessorsAnswer, Serves } from '#libs/contracts';
import { PaymentProcessors } from './payment-processors.js';
import { toProcessorAnswer } from './processor-answer.js';

@Controller()
export class ProcessorsController {
  constructor(private readonly processors: PaymentProcessors) {}

  @Serves(PROCESSORS)
  list(): ProcessorsAnswer {
    return { processors: this.processors.all.map((one) => toProcessorAnswer(one)) };
  }
}
