import { Controller, Get } from '@nestjs/common';
import {
  Question,
  type QuestionOf,
  TLD,
  TLDS,
  type TldAnswer,
  type TldList,
} from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import { TldsService } from './tlds.service.js';

@Controller('/internal/tlds')
@AllowCallers('gateway')
export class TldsController {
  constructor(private readonly tlds: TldsService) {}

  @Get()
  list(@Question(TLDS) _question: QuestionOf<typeof TLDS>): TldList {
    return this.tlds.list();
  }

  @Get('/:tld')
  one(@Question(TLD) { tld }: QuestionOf<typeof TLD>): TldAnswer {
    return this.tlds.one(tld);
  }
}
