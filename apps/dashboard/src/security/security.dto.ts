import { PageForm, TextField } from '../pages/page-form.dto.js';

export class CodeForm extends PageForm {
  @TextField()
  code?: string;
}
