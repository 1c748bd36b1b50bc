import { PageForm, TextField } from '../pages/page-form.dto.js';

export class ChangePasswordForm extends PageForm {
  @TextField()
  current_password?: string;

  @TextField()
  password?: string;
}

export class ChangeEmailForm extends PageForm {
  @TextField()
  email?: string;

  @TextField()
  password?: string;
}

export class ConfirmEmailForm extends PageForm {
  @TextField()
  token?: string;
}
