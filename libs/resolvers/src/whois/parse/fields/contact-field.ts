/** Parts of a contact, plus those that only a reader needs: split names, unlabelled lines, kind of party. */
export type ContactField =
  | 'handle'
  | 'name'
  | 'firstName'
  | 'lastName'
  | 'organization'
  | 'street'
  | 'city'
  | 'state'
  | 'postalCode'
  | 'country'
  | 'email'
  | 'phone'
  | 'fax'
  | 'url'
  | 'heading'
  | 'line'
  | 'party';

/** Parts that an unlabelled address line may contain. */
export type AddressPart = 'cityLine' | 'city' | 'state' | 'postalCode' | 'country';

/** The form in which one registry prints a contact; see `Grammar`. */
export interface ContactStyle {
  block: readonly ContactField[];
  address: readonly AddressPart[];
  organizationFirst: boolean;
}
