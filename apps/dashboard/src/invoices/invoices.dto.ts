import { PageForm, TextField } from '../pages/page-form.dto.js';

export class BillingDetailsForm extends PageForm {
  @TextField()
  organisation?: string;

  @TextField()
  tax_id?: string;

  @TextField()
  address_line1?: string;

  @TextField()
  address_line2?: string;

  @TextField()
  postal_code?: string;

  @TextField()
  city?: string;

  @TextField()
  region?: string;

  @TextField()
  country?: string;

  @TextField()
  purchase_order?: string;
}
