import { Body, Controller, Delete, Get, Param, Patch, Post, Query } from '@nestjs/common';
import { Idempotent, type IdempotentCall } from '#libs/database';
import type { Actor } from '../audit/actor.js';
import { CurrentSession, RequireSession } from '../sessions/require-session.js';
import {
  CreateKeyRequest,
  ListKeysQuery,
  ReissueKeyRequest,
  RotateKeyRequest,
  UpdateKeyRequest,
} from './keys.dto.js';
import { KeysService } from './keys.service.js';

/** The owner's keys. What gives a key more power needs a log-in of the last 10 minutes (S35). */
@Controller('internal/dashboard/keys')
export class KeysController {
  constructor(private readonly keys: KeysService) {}

  @Get()
  @RequireSession()
  list(@CurrentSession() owner: Actor, @Query() query: ListKeysQuery) {
    return this.keys.list(owner.accountId, query);
  }

  @Post()
  @RequireSession({ recently: true })
  create(
    @CurrentSession() owner: Actor,
    @Body() request: CreateKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.keys.create(owner, request, call);
  }

  @Patch(':id')
  @RequireSession({ recently: true })
  update(
    @CurrentSession() owner: Actor,
    @Param('id') id: string,
    @Body() request: UpdateKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.keys.update(owner, id, request, call);
  }

  @Delete(':id')
  @RequireSession()
  revoke(@CurrentSession() owner: Actor, @Param('id') id: string) {
    return this.keys.revoke(owner, id);
  }

  @Post(':id/rotate')
  @RequireSession({ recently: true })
  rotate(
    @CurrentSession() owner: Actor,
    @Param('id') id: string,
    @Body() request: RotateKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.keys.rotate(owner, id, request, call);
  }

  @Post(':id/reissue')
  @RequireSession({ recently: true })
  reissue(
    @CurrentSession() owner: Actor,
    @Param('id') id: string,
    @Body() request: ReissueKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.keys.reissue(owner, id, request, call);
  }
}
