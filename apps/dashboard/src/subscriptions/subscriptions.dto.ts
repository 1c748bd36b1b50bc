import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

export class CancelForm extends PageForm {
  @TextField()
  reason?: string;
}

export class ChangePlanForm extends PageForm {
  @TextField()
  sku?: string;

  @TextField()
  quantity?: string;

  @IdempotencyKeyField()
  idempotency_key?: string;

  /** The time as of which the preview calculated the price. */
  @TextField()
  from?: string;
}
