import { PageForm, TextField } from '../pages/page-form.dto.js';

export class SignUpForm extends PageForm {
  @TextField()
  first_name?: string;

  @TextField()
  email?: string;

  @TextField()
  password?: string;
}

export class ConfirmForm extends PageForm {
  @TextField()
  token?: string;

  @TextField()
  password?: string;

  /** A checkbox: present if it is ticked. */
  @TextField()
  set_password?: string;
}

export class LogInForm extends PageForm {
  /** The page that opens next. */
  @TextField()
  to?: string;

  @TextField()
  email?: string;

  @TextField()
  password?: string;
}

export class LogInPasskeyForm extends PageForm {
  @TextField()
  to?: string;

  /** The passkey's signature, in JSON. */
  @TextField()
  credential?: string;
}

export class LogInCodeForm extends PageForm {
  @TextField()
  to?: string;

  @TextField()
  code?: string;
}

export class ForgotPasswordForm extends PageForm {
  @TextField()
  email?: string;
}

export class ResetPasswordForm extends PageForm {
  @TextField()
  token?: string;

  @TextField()
  password?: string;
}

export class PasswordForm extends PageForm {
  @TextField()
  password?: string;
}

export class ReauthenticateForm extends PasswordForm {
  @TextField()
  to?: string;
}

export class ProviderForm extends PageForm {
  @TextField()
  to?: string;
}

export class ProviderReturnForm extends PageForm {
  /** The query that the provider added to the return URL. */
  @TextField()
  query?: string;
}
