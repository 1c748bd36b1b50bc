import { Controller } from '@nestjs/common';
import {
  Question,
  type QuestionOf,
  TLD,
  TLDS,
  type TldAnswer,
  type TldList,
  Serves,
} from '#libs/contracts';
import { TldsService } from './tlds.service.js';

@Controller()
export class TldsController {
  constructor(private readonly tlds: TldsService) {}

  @Serves(TLDS)
  list(@Question(TLDS) _question: QuestionOf<typeof TLDS>): TldList {
    return this.tlds.list();
  }

  @Serves(TLD)
  one(@Question(TLD) { tld }: QuestionOf<typeof TLD>): TldAnswer {
    return this.tlds.one(tld);
  }
}
