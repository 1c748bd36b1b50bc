import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

export class SubscribeForm extends PageForm {
  @TextField()
  sku?: string;

  @TextField()
  quantity?: string;

  @TextField()
  processor?: string;

  @IdempotencyKeyField()
  idempotency_key?: string;
}
