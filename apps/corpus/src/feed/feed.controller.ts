import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import type {
  CorpusChanges,
  NextNames,
  SuppressedHashes,
  SuppressionVersion,
} from '#libs/contracts';
import { AllowCallers } from '#libs/platform';
import {
  ChangesRequest,
  NamesRequest,
  NextNamesRequest,
  SuppressedHashesRequest,
} from './feed.dto.js';
import { FeedService } from './feed.service.js';

@Controller('internal/feed')
@AllowCallers('worker')
export class FeedController {
  constructor(private readonly feed: FeedService) {}

  @Post('changes')
  @HttpCode(200)
  async changes(@Body() request: ChangesRequest): Promise<CorpusChanges> {
    return this.feed.changes(request);
  }

  @Post('next-names')
  @HttpCode(200)
  async nextNames(@Body() request: NextNamesRequest): Promise<NextNames> {
    return this.feed.nextNames(request);
  }

  @Get('suppression')
  async suppression(): Promise<SuppressionVersion> {
    return this.feed.suppressionVersion();
  }

  @Post('suppressed-hashes')
  @HttpCode(200)
  async suppressedHashes(@Body() request: SuppressedHashesRequest): Promise<SuppressedHashes> {
    return this.feed.suppressedHashes(request);
  }

  @Post('suppressed-names')
  @HttpCode(200)
  async suppressedNames(@Body() { names }: NamesRequest): Promise<{ names: string[] }> {
    return { names: await this.feed.suppressedNames(names) };
  }
}
