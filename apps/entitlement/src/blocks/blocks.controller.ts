import { Body, Controller, Post } from '@nestjs/common';
import { AccountId, AllowCallers } from '#libs/platform';
import { BlockAccountRequest, LiftBlockRequest } from './blocks.dto.js';
import { BlocksService } from './blocks.service.js';

@Controller('/internal/operator/blocks')
@AllowCallers('cli')
export class BlocksController {
  constructor(private readonly blocks: BlocksService) {}

  @Post()
  async block(@AccountId() accountId: string, @Body() body: BlockAccountRequest): Promise<void> {
    const { to, ...rest } = body;
    const until = to === undefined ? undefined : new Date(to);
    await this.blocks.block({ accountId, ...rest, to: until });
  }

  @Post('/lift')
  async lift(@AccountId() accountId: string, @Body() body: LiftBlockRequest): Promise<void> {
    await this.blocks.lift(accountId, body.cause);
  }
}
