import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

export class JobForm extends PageForm {
  /** One name per line. */
  @TextField()
  domainNames?: string;

  @TextField()
  kind?: string;

  @TextField()
  format?: string;

  /** The maximum age of answers in seconds; empty if every source is asked. */
  @TextField()
  max_age?: string;

  /** DNS record types, separated by commas or spaces. */
  @TextField()
  types?: string;

  /** `start` after the price has been shown, `edit` to change the names. Without a step, the price is shown. */
  @TextField()
  step?: string;

  @IdempotencyKeyField()
  idempotency_key?: string;
}
