import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

export class CreateKeyForm extends PageForm {
  @TextField()
  name?: string;

  @TextField()
  environment?: string;

  @IdempotencyKeyField()
  idempotency_key?: string;
}

export class RotateKeyForm extends PageForm {
  @IdempotencyKeyField()
  idempotency_key?: string;
}
