import { PageForm, TextField } from '../pages/page-form.dto.js';

export class PasskeyForm extends PageForm {
  @TextField()
  name?: string;

  /** The passkey that the browser created, in JSON. */
  @TextField()
  credential?: string;
}

export class PasskeyNameForm extends PageForm {
  @TextField()
  name?: string;
}

export class CodeForm extends PageForm {
  @TextField()
  code?: string;
}
