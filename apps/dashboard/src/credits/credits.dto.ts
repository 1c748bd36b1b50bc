import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

export class OrderCreditsForm extends PageForm {
  @TextField()
  credits?: string;

  @TextField()
  processor?: string;

  @IdempotencyKeyField()
  idempotency_key?: string;
}
