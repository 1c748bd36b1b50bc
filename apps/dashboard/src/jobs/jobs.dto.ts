import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

export class JobForm extends PageForm {
  /** One name per line. */
  @TextField()
  domainNames?: string;

  @TextField()
  kind?: string;

  @TextField()
  format?: string;

  /** `start` after the price was shown, `edit` to change the names; the price is shown first. */
  @TextField()
  step?: string;

  @IdempotencyKeyField()
  idempotency_key?: string;
}
