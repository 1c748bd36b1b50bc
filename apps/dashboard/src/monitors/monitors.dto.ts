import { IdempotencyKeyField, PageForm, TextField } from '../pages/page-form.dto.js';

export class MonitorForm extends PageForm {
  @IdempotencyKeyField()
  idempotency_key?: string;

  @TextField()
  name?: string;

  @TextField()
  mail?: string;

  @TextField()
  domainName?: string;

  @TextField()
  interval_minutes?: string;

  @TextField()
  keyword?: string;

  @TextField()
  match?: string;

  @TextField()
  with_typos?: string;

  @TextField()
  include?: string;

  @TextField()
  exclude?: string;

  @TextField()
  selector?: string;

  @TextField()
  value?: string;

  @TextField()
  exact?: string;

  @TextField()
  own_domains?: string;

  @TextField()
  tlds?: string;
}

export class MonitorSettingsForm extends PageForm {
  @TextField()
  interval_minutes?: string;

  @TextField()
  name?: string;

  @TextField()
  mail?: string;
}

export class HitForm extends PageForm {
  @TextField()
  state?: string;
}
