import { SCOPES, type Scope } from '#libs/contracts';
import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

/** Returns the name of a scope's checkbox. The names differ, because a form may contain each name only once. */
export const scopeField = (scope: Scope) => `scope_${scope}` as const;

export class KeySettingsForm extends PageForm {
  @TextField()
  name?: string;

  @TextField()
  daily_credit_cap?: string;

  @TextField()
  allowed_addresses?: string;

  @TextField()
  expires_in?: string;

  @TextField()
  expires_on?: string;

  @IdempotencyKeyField()
  idempotency_key?: string;
}
for (const scope of SCOPES) TextField()(KeySettingsForm.prototype, scopeField(scope));

export class CreateKeyForm extends KeySettingsForm {
  @TextField()
  environment?: string;
}

export class UpdateKeyForm extends KeySettingsForm {}

export class RotateKeyForm extends PageForm {
  @TextField()
  overlap?: string;

  @IdempotencyKeyField()
  idempotency_key?: string;
}

export class ReissueKeyForm extends PageForm {
  @TextField()
  expires_in?: string;

  @TextField()
  expires_on?: string;

  @IdempotencyKeyField()
  idempotency_key?: string;
}
