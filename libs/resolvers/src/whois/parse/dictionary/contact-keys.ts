/** The keys of a contact. The role of the contact comes from a prefix, a section or an object. */
export const CONTACT_KEYS: Readonly<Record<string, readonly string[]>> = {
  handle: [
    'id | contactid | handle | nic handle | contact id | nic hdl | code | nichandle',
    'registry id',
  ],
  name: [
    'international name | name | contact | person | full name | contact name | contact person | personname',
    'person loc | nombre | nome | nom | role | name loc | real name | pname | cname',
    'voornaam | internationalized name | responsible | responsavel | attention | nama',
    'name last first | local name | english name | contact person name | person name',
    'complete name',
  ],
  firstName: ['first name | firstname | given name | prenom | forename'],
  lastName: ['last name | lastname | family name | surname | apellido'],
  organization: [
    'international organisation | international organization | organization | organisation | org | organization name | organisation name | company',
    'company name | orgname | organization loc | organizacion | organizacao | organisme',
    'internationalized organization | organizacja | firma | company english name',
    'legal name | org name | business name | entity | societe | empresa | kurulus',
    'institution | razon social | company or organization | organization using domain name',
  ],
  street: [
    'international address | international street | street | address | addr | street address | post address | postal address | adress',
    'address line | address loc | adresse | direccion | endereco | indirizzo | domicilio',
    'registered address | mailing address | street1 | internationalized street',
    'street name | adres | address street | location address | physical address | morada',
    'ulica | domicilo | addressline | contact address',
  ],
  city: [
    'city | town | locality | ciudad | cidade | ville | postal area | stadt | ort | citta',
    'city loc | registered city | internationalized city | sehir | localidade | suburb',
  ],
  state: [
    'state | state province | state/province | province | region | estado | provincia',
    'county | registered state | internationalized state | state loc | province state',
    'state/region | canton | internationalized state/province | district | departement',
  ],
  postalCode: [
    'postal code | postalcode | zip | zip code | zipcode | zip/postal code | postcode',
    'post code | postal/zip code | pcode | codigo postal | code postal | plz | cap',
    'postal code loc | pc | registered postalcode | internationalized postal code | postal',
    'registered postal code | cep | zip postal code',
  ],
  country: [
    'country | countrycode | country code | pais | pays | land | nazione | country loc',
    'registered country | internationalized country | country/economy | ulke | location',
    'paese | country name',
  ],
  email: [
    'email | e mail | mail | email address | e mailbox | correo | correo electronico',
    'courriel | e mail address | emailaddress | contact email | eposta | e posta',
    'email addr | mailto | e mail loc | holder email | e mails | emails',
  ],
  phone: [
    'phone | phone number | telephone | tel | phone no | voice | voice number | telefono',
    'telefone | telephone number | telefon | tel no | phone1 | contact phone | phone loc',
    'tfno | telnum | contact phone number | mobile | fixed phone | phones',
  ],
  fax: [
    'fax | fax number | fax no | facsimile | facsimile number | fax loc | fax num | telefax',
    'fax phone | faxno',
  ],
  url: [
    'url | website | www | web | web site | homepage | home page | web page | webpage',
    'internet',
  ],
  party: ['type | contact type | tipo | party type | user type'],
};
