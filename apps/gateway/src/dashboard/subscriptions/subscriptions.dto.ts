import { PageForm, TextField } from '../pages/page-form.dto.js';

export class ChangePlanForm extends PageForm {
  @TextField()
  sku?: string;

  @TextField()
  quantity?: string;

  /** Of the preview that was shown. */
  @TextField()
  from?: string;
}
