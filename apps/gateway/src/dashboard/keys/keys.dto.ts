import { SCOPES, type Scope } from '#libs/contracts';
import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

/** Name of the checkbox of a scope; a form has each name once. */
export const scopeField = (scope: Scope) => `scope_${scope}` as const;

type ScopeFields = Partial<Record<ReturnType<typeof scopeField>, string>>;

class KeySettingsForm extends PageForm {
  @TextField()
  name?: string;

  @TextField()
  daily_credit_cap?: string;

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
  @IdempotencyKeyField()
  idempotency_key?: string;
}

/** What a form sets, in account's words. What is no number is left for account to refuse. */
export function settingsOf(form: KeySettingsForm): object {
  const { name, daily_credit_cap: cap = '' } = form;
  const digits = cap.trim();
  return {
    name,
    scopes: SCOPES.filter((scope) => (form as ScopeFields)[scopeField(scope)] !== undefined),
    daily_credit_cap: digits === '' ? null : /^\d+$/.test(digits) ? Number(digits) : digits,
  };
}
