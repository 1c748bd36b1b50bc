import { Body, Controller, Param } from '@nestjs/common';
import {
  ACCOUNT_KEYS,
  ACCOUNT_KEY_CREATE,
  ACCOUNT_KEY_REVOKE,
  ACCOUNT_KEY_ROTATE,
  type AccountKeysAnswer,
  CreateKeyRequest,
  Pages,
  Question,
  type QuestionOf,
  RotateKeyRequest,
  Serves,
} from '#libs/contracts';
import { Idempotent, type IdempotentCall } from '#libs/database';
import { CallingKey, type KeyActor } from '../audit/actor.js';
import { KeysService } from '../keys/keys.service.js';
import { KeyManagementService } from './key-management.service.js';

/** Serves the API's calls that manage keys, for keys with the scope `keys:write`. */
@Controller()
export class KeyManagementController {
  constructor(
    private readonly keys: KeysService,
    private readonly management: KeyManagementService,
    private readonly pages: Pages,
  ) {}

  @Serves(ACCOUNT_KEYS)
  async list(
    @CallingKey() { accountId }: KeyActor,
    @Question(ACCOUNT_KEYS) question: QuestionOf<typeof ACCOUNT_KEYS>,
  ): Promise<AccountKeysAnswer> {
    const page = this.pages.asked(ACCOUNT_KEYS, question);
    return { status: true, ...(await this.keys.list(accountId, page)) };
  }

  @Serves(ACCOUNT_KEY_CREATE)
  create(
    @CallingKey() by: KeyActor,
    @Body() request: CreateKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.management.create(by, request, call);
  }

  @Serves(ACCOUNT_KEY_ROTATE)
  rotate(
    @CallingKey() by: KeyActor,
    @Param('id') id: string,
    @Body() request: RotateKeyRequest,
    @Idempotent() call?: IdempotentCall,
  ) {
    return this.management.rotate(by, id, request, call);
  }

  @Serves(ACCOUNT_KEY_REVOKE)
  revoke(@CallingKey() by: KeyActor, @Param('id') id: string) {
    return this.management.revoke(by, id);
  }
}
