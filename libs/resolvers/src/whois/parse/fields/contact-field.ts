/** The parts of a contact, and parts that only the parser needs: split names, unlabelled lines, kind of party. */
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

export type AddressPart = 'cityLine' | 'city' | 'state' | 'postalCode' | 'country';

/** How one registry prints contacts; see `Grammar`. */
export interface ContactStyle {
  block: readonly ContactField[];
  address: readonly AddressPart[];
  organizationFirst: boolean;
}
