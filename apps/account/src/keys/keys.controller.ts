import { Body, Controller, Param } from '@nestjs/common';
import {
  CreateKeyRequest,
  KEY,
  KEY_CREATE,
  KEY_REISSUE,
  KEY_REVOKE,
  KEY_ROTATE,
  KEY_UPDATE,
  KEYS,
  Pages,
  Question,
  type QuestionOf,
  ReissueKeyRequest,
  RotateKeyRequest,
  UpdateKeyRequest,
} from '#libs/contracts';
import { Idempotent, type IdempotentCall } from '#libs/database';
import type { Actor } from '../audit/actor.js';
import { CurrentSession, ServesBrowser } from '../sessions/session-guard.js';
import { KeysService } from './keys.service.js';

/** Serves owners' keys. Creating or changing a key requires a recent log-in (S35), but revoking it does not. */
@Controller()
export class KeysController {
  constructor(
    private readonly keys: KeysService,
    private readonly pages: Pages,
  ) {}

  @ServesBrowser(KEYS)
  list(@CurrentSession() owner: Actor, @Question(KEYS) question: QuestionOf<typeof KEYS>) {
    return this.keys.list(owner.accountId, this.pages.asked(KEYS, question));
  }

  @ServesBrowser(KEY)
  get(@CurrentSession() owner: Actor, @Param('id') id: string) {
    return this.keys.get(owner.accountId, id);
  }

  @ServesBrowser(KEY_CREATE)
  create(
    @CurrentSession() owner: Actor,
    @Body() request: CreateKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.keys.create(owner, request, call);
  }

  @ServesBrowser(KEY_UPDATE)
  update(
    @CurrentSession() owner: Actor,
    @Param('id') id: string,
    @Body() request: UpdateKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.keys.update(owner, id, request, call);
  }

  @ServesBrowser(KEY_REVOKE)
  revoke(@CurrentSession() owner: Actor, @Param('id') id: string) {
    return this.keys.revoke(owner.accountId, id, owner);
  }

  @ServesBrowser(KEY_ROTATE)
  rotate(
    @CurrentSession() owner: Actor,
    @Param('id') id: string,
    @Body() request: RotateKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.keys.rotate(owner, id, request, call);
  }

  @ServesBrowser(KEY_REISSUE)
  reissue(
    @CurrentSession() owner: Actor,
    @Param('id') id: string,
    @Body() request: ReissueKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.keys.reissue(owner, id, request, call);
  }
}
