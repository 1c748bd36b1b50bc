/** The top-level domains of countries in their own scripts, by the ASCII top-level domain of the same registry. */
const SCRIPTS: Readonly<Record<string, string>> = {
  ae: 'xn--mgbaam7a8h',
  am: 'xn--y9a3aq',
  bg: 'xn--90ae',
  by: 'xn--90ais',
  cn: 'xn--fiqs8s xn--fiqz9s',
  dz: 'xn--lgbbat1ad8j',
  eu: 'xn--e1a4c xn--qxa6a',
  gr: 'xn--qxam',
  hk: 'xn--j6w193g',
  in:
    'xn--2scrj9c xn--3hcrj9c xn--45br5cyl xn--45brj9c xn--fpcrj9c3d xn--gecrj9c xn--h2breg3eve xn--h2brj9c ' +
    'xn--h2brj9c8c xn--mgbbh1a xn--mgbbh1a71e xn--mgbgu82a xn--rvc1e0am3e xn--s9brj9c xn--xkc2dl3a5ee0h',
  il: 'xn--4dbrk0ce',
  iq: 'xn--mgbtx2b',
  ir: 'xn--mgba3a4f16a',
  kr: 'xn--3e0b707e',
  kz: 'xn--80ao21a',
  la: 'xn--q7ce6a',
  lk: 'xn--fzc2c9e2c xn--xkc2al3hye2a',
  mk: 'xn--d1alf',
  mn: 'xn--l1acc',
  mo: 'xn--mix891f',
  mr: 'xn--mgbah1a3hjkrd',
  my: 'xn--mgbx4cd0ab',
  om: 'xn--mgb9awbf',
  ps: 'xn--ygbi2ammx',
  qa: 'xn--wgbl6a',
  rs: 'xn--90a3ac',
  ru: 'xn--p1ai',
  sa: 'xn--mgberp4a5d4ar',
  sg: 'xn--clchc0ea0b2g2a9gcd xn--yfro4i67o',
  sy: 'xn--ogbpf8fl',
  th: 'xn--o3cw4h',
  tn: 'xn--pgbs0dh',
  tw: 'xn--kprw13d xn--kpry57d',
};

const SISTERS = new Map(
  Object.entries(SCRIPTS).flatMap(([sister, tlds]) => tlds.split(' ').map((tld) => [tld, sister])),
);

/** Returns the ASCII top-level domain of the same registry and layout; undefined if there is none. */
export function sisterOf(tld: string): string | undefined {
  return SISTERS.get(tld);
}
