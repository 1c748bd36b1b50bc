import { PageForm, TextField } from '../pages/page-form.dto.js';

export class JobForm extends PageForm {
  /** One name per line. */
  @TextField()
  domainNames?: string;

  @TextField()
  kind?: string;

  @TextField()
  format?: string;
}
