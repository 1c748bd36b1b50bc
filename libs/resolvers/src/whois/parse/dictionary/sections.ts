/** Prefixes that name a role: `registrant name`, `admin-c phone`, `titular e-mail`. */
export const ROLE_PREFIXES: Readonly<Record<string, readonly string[]>> = {
  registrant: [
    'registrant | owner | holder | domain holder | domain owner | titular',
    'registrant contact | owner contact | holder contact | registry registrant',
    'registrant internationalized | registered holder | 등록인 | domain registrant | licensee',
    'titulaire | proprietario | owner c | holder c | holder of domain name',
    'domain name holder | registrant local | registrant c | main contact',
    'owner/main contact | subscriber | registrant contact information | 注册者',
  ],
  admin: [
    'admin | administrative | administrator | administrative contact | admin contact | adm',
    'registry admin | admin internationalized | ac | contacto administrativo | adm contact',
    'administrative contact/agent | administrative c | admin c | contact administratif',
    'contato administrativo | administrador | 책임자 | onsite | adminstrative contact',
    'local contact | responsible person | administrative contacts',
    'administrative contact point | authorised contact | administrative contact information',
    'admin contact information | administrative contact details',
    'administrative contact person | contact admin',
  ],
  tech: [
    'tech | technical | technical contact | tech contact | registry tech',
    'tech internationalized | tc | contacto tecnico | contact technique | contato tecnico',
    'tec | technical c | tech c | techical | responsavel tecnico | technical contacts | zone',
    'zone c | zone contact | tecnico | technical contact information',
    'tech contact information | registrar technical contacts | technical contact person',
    'technical contact details | contact tech | tech contacts',
  ],
  billing: [
    'billing | bill | billing contact | registry billing | billing internationalized',
    'bil | bill contact | contacto financiero | contacto de cobranza | contacto de facturacion',
    'financial contact | billing c | contacto pago | billing contact information',
    'contato de cobranca | invoicing party | bill c | payment | finance contact',
    'contact billing',
  ],
  abuse: ['abuse | abuse contact | registrar abuse contact | abuse c'],
  reseller: ['reseller | reseller contact | domain reseller'],
};

/** Lines that open a section, with or without a colon and a value, in addition to the role prefixes. */
export const HEADERS: Readonly<Record<string, readonly string[]>> = {
  registrant: [
    'registered for | organization using domain name | domain registrant',
    'titular / registrant | registrant code | registrant or organization',
    'domain owner contact | registrant info | registrant details',
  ],
  admin: ['administrative contact code | administrative contact s | admin details | admin info'],
  tech: [
    'technical contact code | technical contact s | tech details | tech info',
    'technical support',
  ],
  billing: ['billing contact code'],
  registrar: [
    'registrar | registrar information | registrar contact | registrar details',
    'registrar info | registrar contact information | sponsoring registrar contact',
    'service provider information',
  ],
  nameServers: [
    'name servers in the listed order | name servers information | name server information',
    'nameserver in listed order | nameservers in listed order',
    'domain servers in listed order | domain name servers listed in order',
    'name servers in listed order | nserver | nservers | domain nameservers | name servers',
    'nameservers | domain servers | dns servers | nameserver',
    'servidor de nombres de dominio | servers | servidores de nombre | servidores dns',
    'primary name server | secondary name server | servidores de nombres',
    'domain name servers | dns information | name server | serveurs dns',
    'listed name servers | hosts | servidores de dominio',
    'servidores de nombres de dominio | 1차 네임서버 정보 | 2차 네임서버 정보 | nameserver details',
    'dns records | delegation',
  ],
  status: ['status | domain status | status information | registration status | flags | state'],
  dates: ['relevant dates | additional info | important dates | dates | additional information'],
  dnssec: ['keys | dnssec information | signing key | ds records | dnssec'],
  domain: ['domain information | domain | domain name | domain info | domain details | dominio'],
  host: ['server name'],
  other: ['nsset | keyset | ns list | ds list'],
};
