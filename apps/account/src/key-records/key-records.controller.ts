import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { ChangeFeed, ChangesRequest } from '#libs/messaging';
import { AllowCallers } from '#libs/platform';
import { KeyHashPath, KeysUsedRequest } from './key-records.dto.js';
import { KeyRecordService } from './key-records.service.js';

/** Serves the gateways' calls about keys, whose types are in `AccountClient`. */
@Controller('internal')
@AllowCallers('gateway')
export class KeyRecordController {
  constructor(
    private readonly keyRecords: KeyRecordService,
    private readonly changeFeed: ChangeFeed,
  ) {}

  @Get('keys/by-hash/:hash')
  async find(@Param() { hash }: KeyHashPath) {
    return { key: await this.keyRecords.find(hash) };
  }

  @Post('keys/used')
  @HttpCode(204)
  noteUsed(@Body() { keyIds }: KeysUsedRequest) {
    return this.keyRecords.noteUsed(keyIds);
  }

  @Post('changes')
  @HttpCode(200)
  changes(@Body() { cursor }: ChangesRequest) {
    return this.changeFeed.read(cursor);
  }
}
